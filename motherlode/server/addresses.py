"""Where a request comes from and which name it asks for: the peer, or whom a trusted proxy names."""

import re
import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# What proxies add to a request; whoever sends one of these may be somewhere else.
FORWARDING_HEADERS = ("forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-real-ip", "via")
ELSEWHERE = "192.0.2.1"  # an address for examples (RFC 5737), on no network
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")
LOCAL_DOMAINS = ("", ".local", ".lan", ".home.arpa", ".internal")  # a name in these cannot be a stranger's


class Source(NamedTuple):
    """Whose request it is, and whether it came by https."""

    address: str
    is_https: bool


def read_address(written: str) -> Address | None:
    try:
        address = ip_address(written)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def visitor_of(host: str) -> str:
    """What limits count: an IPv4 address, or the network of 64 bits that one IPv6 visitor has."""
    address = read_address(host)
    if isinstance(address, IPv6Address):
        return f"{IPv6Address(int(address) >> 64 << 64)}/64"
    return str(address or host)


def address(connection: HTTPConnection) -> str:
    """What limits count for this request; `middleware` has put the right client in its scope."""
    return visitor_of(connection.client.host) if connection.client else "?"


class Listens(NamedTuple):
    """Where a server listens, and the command that starts it for the local network."""

    host: str
    port: int
    command: str

    @property
    def only_here(self) -> bool:
        return self.host == "localhost" or is_loopback(self.host)

    def address(self) -> str | None:
        """How others in the local network reach the server: at the address that this machine has there."""
        host = self.host if read_address(self.host) and not (self.only_here or is_any(self.host)) else lan_host()
        return f"http://{host}:{self.port}" if host else None


def is_any(host: str) -> bool:
    """0.0.0.0 and ::, which are all addresses of a machine."""
    address = read_address(host)
    return address is not None and address.is_unspecified


def lan_host() -> str | None:
    """The address that this machine would send from. Nothing is sent: a datagram's socket only looks up its way."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trial:
        try:
            trial.connect((ELSEWHERE, 9))
        except OSError:
            return None  # there is no network
        host = str(trial.getsockname()[0])
    return None if is_loopback(host) or is_any(host) else host


class Proxies:
    """The machines whose word about where a request comes from is taken."""

    def __init__(self, networks: tuple[Network, ...]) -> None:
        self.networks = networks

    def trusts(self, host: str) -> bool:
        address = read_address(host)
        return address is not None and any(address in network for network in self.networks)

    def source(self, peer: str, headers: Headers, *, is_https: bool) -> Source:
        """The last address in X-Forwarded-For that is not one of ours, for each proxy adds its own peer at the end."""
        if not self.trusts(peer):
            return Source(peer, is_https)
        address = peer
        for hop in reversed(",".join(headers.getlist("x-forwarded-for")).split(",")):
            named = read_address(without_port(hop.strip()))
            if named is None:
                break
            address = str(named)
            if not self.trusts(address):
                break
        scheme = headers.get("x-forwarded-proto", "").lower()
        return Source(address, scheme == "https" if scheme in ("http", "https") else is_https)


def without_port(written: str) -> str:
    """192.0.2.1 of 192.0.2.1:80, ::1 of [::1]:80."""
    if written.startswith("["):
        return written[1:].partition("]")[0]
    return written.partition(":")[0] if written.count(":") == 1 else written


def is_loopback(host: str) -> bool:
    address = read_address(host)
    return address is not None and address.is_loopback


def host_name(written: str) -> str | None:
    """The name or address in a Host header, without its port; None if it is malformed."""
    found = HOST.fullmatch(written)
    return found[1].strip("[]").lower().removesuffix(".") if found else None


class Hosts:
    """The names this server answers to.

    Another site can point a name of its own at this machine (DNS rebinding); then its pages would be of the same origin
    as ours. It cannot do that with an address, nor with a name that only the local network resolves.
    """

    def __init__(self, configured: tuple[str, ...]) -> None:
        machine = socket.gethostname().lower().partition(".")[0]
        own = (machine + domain for domain in LOCAL_DOMAINS)
        self.names = {"localhost", socket.gethostname().lower(), *own, *configured}

    def allow(self, name: str) -> bool:
        return name in self.names or read_address(name) is not None or name.endswith(".localhost")
