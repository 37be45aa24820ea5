#!/bin/sh
# The browser tests need Chromium, and a font with Chinese characters. Installs both through apt where that is possible: the Chromium
# without menus and tabs of its own where there is one (Debian), else the whole one.
set -eu
found() { command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome; }
if found >/dev/null; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Chromium for the browser tests (once) ..."
    apt-get update -qq
    apt-cache show chromium-headless-shell >/dev/null 2>&1 && browser=chromium-headless-shell || browser=chromium
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$browser" fonts-noto-cjk >/dev/null
else
    echo "The browser tests need Chromium: install it with 'sudo apt-get install chromium fonts-noto-cjk', then run make test again."
    exit 1
fi
