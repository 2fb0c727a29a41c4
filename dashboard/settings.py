"""Settings, read once: environment variables named TOOLSIGHT_*, overridden by the command line.

Everything below `dashboard` takes its values as arguments and never reads the environment.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from dashboard.errors import SettingsError
from metrics import Thresholds

__all__ = ["Language", "OidcSettings", "Settings", "default_db", "read_settings"]

Language = Literal["en", "zh"]
Redacted = Literal["phone", "email", "id_card", "card", "secret", "key"]


_SECRET: Final = frozenset(
    {
        "token",
        "raw_token",
        "oidc",
        "notify",
        "chooser_key",
        "engine",
        "engine_password",
        "ship",
        "ship_password",
    }
)
"""Settings whose values are never shown, not even where they cannot be used."""


def default_db() -> Path:
    """The store in this platform's folder for a user's application data."""
    return _data_home() / "toolsight" / "toolsight.duckdb"


def _data_home() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def _known_time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(
            f"{name!r} is no time zone; write an IANA name such as Asia/Shanghai"
        ) from error
    return name


class OidcSettings(BaseModel):
    """An OpenID Connect issuer at which people sign in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    metadata_url: Annotated[str, Field(pattern=r"^https?://")]
    """The issuer's `.well-known/openid-configuration`."""
    client_id: Annotated[str, Field(min_length=1)]
    client_secret: SecretStr
    public_url: Annotated[str, Field(pattern=r"^https?://[^/]+/?$")]
    """How browsers reach the pages; the issuer must know it followed by `/oauth2callback`."""
    allowed: tuple[str, ...] = ()
    """Mail addresses, or whole domains such as `@example.com`; empty for everybody whom the issuer
    lets in."""
    raw_allowed: tuple[str, ...] = ()
    """The same for those who may also see raw outputs and debug prompts; empty for nobody. Only
    addresses that the issuer has verified count."""


class Settings(BaseSettings):
    """What a person may set. Frozen: a changed value is a new `Settings`."""

    model_config = SettingsConfigDict(
        env_prefix="TOOLSIGHT_", env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    db: Path = Field(default_factory=default_db)
    """The DuckDB file."""
    engine: SecretStr | None = None
    """The cluster that pages, reports and alerts read in place of the store, such as
    `clickhouse://user:password@host:8123/toolsight`; never shown. `db` is then a file of its own."""
    engine_password: SecretStr | None = None
    """For that address, where it names none; never shown."""
    engine_traces: int = Field(default=200_000, ge=1)
    """How many traces one question over a cluster may read row by row."""
    ship: SecretStr | None = None
    """The cluster that everything in the store is sent on to, such as
    `clickhouse://user:password@host:8123/toolsight?cluster=name`; never shown."""
    ship_password: SecretStr | None = None
    """Its password, where the address names none."""
    host: str = "127.0.0.1"
    """Where the server listens; anything but loopback needs a token."""
    port: int = Field(default=8501, ge=0, le=65535)
    """Of the pages; 0 takes any free port."""
    otlp_port: int = Field(default=4318, ge=0, le=65535)
    """Of OTLP over HTTP; 0 takes any free port."""
    grpc_port: int = Field(default=4317, ge=0, le=65535)
    """Of OTLP over gRPC; 0 takes any free port."""
    token: Annotated[str, Field(min_length=16)] | None = None
    """What senders and people must show; needed where other machines can reach the server."""
    raw_token: Annotated[str, Field(min_length=16)] | None = None
    """Beside `token`: who signs in with this one may see raw outputs and debug prompts from other
    machines too. Without it only this machine shows them."""
    contract_folder: Path | None = None
    """Contract files of the tools: a tool's P95 is held against its SLA, its callers against their
    daily quotas. Read once, at the start."""
    template_folder: Path | None = None
    """Where prompt templates of your own are kept; None for `templates` beside the store."""
    team_of_one: bool = False
    """Dictionaries are published without a second owner's approval, and it is said so."""
    oidc: OidcSettings | None = None
    """Where people sign in besides the token: `TOOLSIGHT_OIDC__CLIENT_ID` and so on."""
    allowed_hosts: tuple[str, ...] = ()
    """Names under which other machines reach the pages, besides this machine's own."""
    redact: tuple[Redacted, ...] = ("phone", "email", "id_card", "card", "secret", "key")
    """What is taken out of everything that comes in, before it is written; `[]` keeps all."""
    redact_keys: tuple[str, ...] | None = None
    """Attribute keys whose values are never kept; None for the usual ones."""
    notify: tuple[SecretStr, ...] = ()
    """Apprise addresses that are told of incidents; they hold secrets and are never shown."""
    memory_limit: Annotated[str, Field(pattern=r"^\d+(\.\d+)? ?([KMGT]i?B)$")] | None = None
    """Upper bound for the database, such as 2GB; the database's own default without."""
    time_zone: Annotated[str, AfterValidator(_known_time_zone)] = "UTC"
    """In which zone times are shown and days begin."""
    chooser_key: str | None = None
    """Shown as bearer to the model endpoint that chooses in a replay; never kept."""
    language: Language | None = None
    """The pages' language; None follows the browser."""
    thresholds: Thresholds = Thresholds()
    """What figures are judged by; one limit is set as in
    `TOOLSIGHT_THRESHOLDS__MIN_SELECTION_ACCURACY=0.9`."""


def read_settings(**given: Any) -> Settings:
    """The settings: what was given, else the environment, else the defaults.

    Args:
        given: Values from the command line; None means not given.

    Raises:
        SettingsError: A value cannot be used; names the setting and says why.
        ContractError: The contract folder cannot be read; names the file.
    """
    try:
        settings = Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = "__".join(str(part) for part in first["loc"])
        shown = "(not shown)" if first["loc"][0] in _SECRET else repr(first["input"])
        raise SettingsError(
            f"TOOLSIGHT_{name.upper()} (or the option of that name): {shown}: "
            f"{first['msg']}; correct or unset it"
        ) from error
    if settings.engine is not None:
        from dashboard.engine import engine_store

        db = engine_store(settings.db, settings.engine.get_secret_value())
        settings = settings.model_copy(update={"db": db})
    folder = settings.contract_folder
    return settings if folder is None else _promised(settings, folder)


def _promised(settings: Settings, folder: Path) -> Settings:
    """The settings with what the contracts of a folder promise."""
    from dashboard.promises import promises_in

    promises = (*settings.thresholds.promises, *promises_in(folder))
    thresholds = replace(settings.thresholds, promises=promises)
    return settings.model_copy(update={"thresholds": thresholds})
