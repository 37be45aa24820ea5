#!/bin/sh
# The browser tests need Chromium, and a font with Chinese characters. Installs both through apt where that is possible.
set -eu
found() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if found >/dev/null; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Chromium for the browser tests (once) ..."
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk >/dev/null
else
    echo "The browser tests need Chromium: install it with 'sudo apt-get install chromium fonts-noto-cjk', then run make test again."
    exit 1
fi
