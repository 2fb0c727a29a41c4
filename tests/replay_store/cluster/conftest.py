"""A real cluster of two shards on free ports of this machine, stopped at the end."""

import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from replay_store.cluster.engine import FRESH_SECONDS

_SERVER = shutil.which("clickhouse-server")
_USERS = """<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users><quotas><default></default></quotas></yandex>
"""
_CONFIG = """<yandex><logger><level>warning</level><log>{folder}/server.log</log>
<errorlog>{folder}/error.log</errorlog></logger><http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
<interserver_http_port>{interserver}</interserver_http_port><listen_host>127.0.0.1</listen_host>
<mark_cache_size>67108864</mark_cache_size><path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
<users_config>{folder}/users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><remote_servers><{name}>{shards}</{name}></remote_servers></yandex>
"""
_SHARD = """<shard><internal_replication>true</internal_replication>
<replica><host>127.0.0.1</host><port>{port}</port></replica></shard>"""
_PATIENCE_SECONDS = 60.0


class Cluster:
    """Two servers, one shard each, that know each other as the cluster `obs`."""

    name = "obs"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ports = [[_free_port() for _ in range(3)] for _ in range(2)]
        self._servers: list[subprocess.Popen[bytes] | None] = [None, None]

    def url(self, database: str = "default", shard: int = 0) -> str:
        """How a shipper or a reader names this cluster, entering by one of its shards."""
        return f"clickhouse://127.0.0.1:{self._ports[shard][0]}/{database}?cluster={self.name}"

    def ship_url(self, database: str) -> str:
        """How a shipper names this cluster: with every node, each of which it makes ready."""
        nodes = ",".join(f"127.0.0.1:{ports[0]}" for ports in self._ports)
        return f"clickhouse://{nodes}/{database}?cluster={self.name}"

    def start(self, shard: int) -> None:
        """Start one shard, and wait until it answers; one that runs is left alone."""
        if self._servers[shard] is not None:
            return
        folder = self._folder / f"shard{shard}"
        for part in ("data", "tmp"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "users.xml").write_text(_USERS)
        http, tcp, interserver = self._ports[shard]
        shards = "".join(_SHARD.format(port=ports[1]) for ports in self._ports)
        config = folder / "config.xml"
        config.write_text(
            _CONFIG.format(
                folder=folder,
                http=http,
                tcp=tcp,
                interserver=interserver,
                name=self.name,
                shards=shards,
            )
        )
        assert _SERVER is not None
        with (folder / "out.log").open("ab") as log:
            self._servers[shard] = subprocess.Popen(
                [_SERVER, f"--config-file={config}"], stdout=log, stderr=log, cwd=folder
            )
        self._wait(shard)

    def kill(self, shard: int) -> None:
        """Kill one shard at once, as a power cut would."""
        server = self._servers[shard]
        if server is not None:
            server.kill()
            server.wait()
        self._servers[shard] = None

    def ask(self, sql: str, shard: int = 0, **settings: int) -> str:
        """What one server answers, as it writes it."""
        query = urllib.parse.urlencode(settings)
        address = f"http://127.0.0.1:{self._ports[shard][0]}/?{query}"
        with urllib.request.urlopen(address, data=sql.encode(), timeout=60) as answer:
            text: str = answer.read().decode()
        return text

    def _wait(self, shard: int) -> None:
        until = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < until:
            server = self._servers[shard]
            assert server is not None
            assert server.poll() is None, f"the server ended; see {self._folder}"
            with suppress(OSError):
                if self.ask("select 1", shard).strip() == "1":
                    return
            time.sleep(0.05)
        raise TimeoutError(f"shard {shard} does not answer; see {self._folder}")


class Clock:
    """Of a reader: stands still until its next look at the cluster is due."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self) -> None:
        self.now += FRESH_SECONDS + 1


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def running_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if _SERVER is None:
        pytest.skip("no clickhouse-server on the PATH (Debian: apt-get install clickhouse-server)")
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        for shard in (0, 1):
            cluster.start(shard)
        yield cluster
    finally:
        for shard in (0, 1):
            cluster.kill(shard)


@pytest.fixture
def cluster(running_cluster: Cluster) -> Cluster:
    """The cluster with both shards up."""
    for shard in (0, 1):
        running_cluster.start(shard)
    return running_cluster
