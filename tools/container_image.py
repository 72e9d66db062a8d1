"""Makes a container image of one layer from a folder. tools/package uses it.

The file is an OCI image layout (https://github.com/opencontainers/image-spec) in a tar archive, and also has the `manifest.json` with which
older versions of `docker load` read it. The same folder always gives the same bytes. Everything belongs to root, except /data.
"""
import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import tarfile

USER = 1000
SECOND = 1_000_000_000


def add(archive, name, data, time, kind=tarfile.REGTYPE, mode=0o644, user=0, link=""):
    """Adds an entry to a tar archive."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime, entry.linkname = kind, mode, time, link
    entry.uid = entry.gid = user
    entry.size = len(data) if kind == tarfile.REGTYPE else 0
    archive.addfile(entry, io.BytesIO(data) if kind == tarfile.REGTYPE else None)


def layer(folder, time):
    """The folder as an uncompressed tar archive."""
    bytes = io.BytesIO()
    with tarfile.open(fileobj=bytes, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).parts):
            name = path.relative_to(folder).as_posix()
            if path.is_symlink():
                add(archive, name, b"", time, kind=tarfile.SYMTYPE, mode=0o777, link=os.readlink(path))
            elif path.is_dir():
                mode = {"data": 0o700, "tmp": 0o1777}.get(name, 0o755)
                add(archive, name, b"", time, kind=tarfile.DIRTYPE, mode=mode, user=USER if name == "data" else 0)
            else:
                add(archive, name, path.read_bytes(), time, mode=0o755 if os.access(path, os.X_OK) else 0o644)
    return bytes.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--architecture", required=True, help="as in Go, which Debian's names equal: amd64, arm64")
    parser.add_argument("--version", required=True)
    parser.add_argument("--time", required=True, type=int, help="of all files, in seconds since 1970")
    options = parser.parse_args()
    created = datetime.datetime.fromtimestamp(options.time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    blobs = {}

    def blob(content, type):
        """Keeps a blob, and returns its descriptor."""
        if not isinstance(content, bytes):
            content = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
        digest = hashlib.sha256(content).hexdigest()
        blobs[digest] = content
        return {"mediaType": f"application/vnd.oci.image.{type}", "digest": f"sha256:{digest}", "size": len(content)}

    files = layer(options.folder, options.time)
    compressed = blob(gzip.compress(files, compresslevel=9, mtime=0), "layer.v1.tar+gzip")
    config = blob({
        "created": created, "architecture": options.architecture, "os": "linux",
        "config": {
            "User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/picket"], "Cmd": ["serve"], "WorkingDir": "/data",
            "Env": ["PATH=/usr/bin", "HOME=/data", "PICKET_DATA=/data", "PICKET_LISTEN=0.0.0.0:7575"],
            "ExposedPorts": {"7575/tcp": {}}, "Volumes": {"/data": {}}, "StopSignal": "SIGTERM",
            # Docker's extension of the format.
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/picket", "status", "--ready"], "Interval": 30 * SECOND, "Timeout": 10 * SECOND,
                "StartPeriod": 60 * SECOND, "Retries": 3,
            },
            "Labels": {
                "org.opencontainers.image.title": "Picket", "org.opencontainers.image.version": options.version,
                "org.opencontainers.image.description": "Geofence monitoring service", "org.opencontainers.image.licenses": "MIT",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(files).hexdigest()}"]},
        "history": [{"created": created, "created_by": "tools/package"}],
    }, "config.v1+json")
    manifest = blob({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": [compressed],
    }, "manifest.v1+json")
    tag = f"picket:{options.version}"
    names = {"org.opencontainers.image.ref.name": options.version, "io.containerd.image.name": f"docker.io/library/{tag}"}
    index = {
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [manifest | {
            "platform": {"architecture": options.architecture, "os": "linux"}, "annotations": names,
        }],
    }

    def path(descriptor):
        return "blobs/" + descriptor["digest"].replace(":", "/")

    listing = [{"Config": path(config), "RepoTags": [tag], "Layers": [path(compressed)]}]
    with tarfile.open(options.file, "w", format=tarfile.GNU_FORMAT) as archive:
        add(archive, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}', options.time)
        add(archive, "index.json", json.dumps(index).encode(), options.time)
        add(archive, "manifest.json", json.dumps(listing).encode(), options.time)
        for folder in ("blobs", "blobs/sha256"):
            add(archive, folder, b"", options.time, kind=tarfile.DIRTYPE, mode=0o755)
        for digest in sorted(blobs):
            add(archive, f"blobs/sha256/{digest}", blobs[digest], options.time)


if __name__ == "__main__":
    main()
