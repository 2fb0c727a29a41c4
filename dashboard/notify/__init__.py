"""Messages about incidents, to Slack, mail, DingTalk, Feishu, WeCom, webhooks and many more.

Addresses hold secrets: they are read from the settings, given to Apprise, and never shown, logged
or stored; a channel is known by its kind and a fingerprint. Needs the extra `notify`.
"""

from dashboard.notify.announce import announce
from dashboard.notify.channel import Channel, Message, Outcome, channels

__all__ = ["Channel", "Message", "Outcome", "announce", "channels"]
