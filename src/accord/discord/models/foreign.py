"""What other services send to a webhook: GitHub's events and Slack's messages, as far as Discord reads them.

https://discord.com/developers/docs/resources/webhook#execute-githubcompatible-webhook
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.posting import ThreadId
from accord.discord.models.values import Content, WebUrl
from accord.discord.models.webhooks import Name
from accord.engine import Field, Issue

__all__ = ["GithubEvent", "GithubPayload", "Relayed", "SlackMessage", "nobody_is_pinged", "something_for_slack"]

Json: TypeAlias = Any

PINGS = ("@everyone", "@here", "<@", "<!")
"""What notifies somebody in a text, in Discord's words and in Slack's."""

GithubEvent = Annotated[
    Literal[
        "check_run",
        "check_suite",
        "commit_comment",
        "create",
        "delete",
        "discussion",
        "discussion_comment",
        "fork",
        "issue_comment",
        "issues",
        "member",
        "public",
        "pull_request",
        "pull_request_review",
        "pull_request_review_comment",
        "push",
        "release",
        "watch",
    ],
    Field(description="what GitHub names X-GitHub-Event"),
]


# --- GitHub -----------------------------------------------------------------------------------------------------------


class GithubUser(TypedDict):
    """An account."""

    id: int
    login: str
    html_url: WebUrl
    avatar_url: WebUrl


class GithubRepository(TypedDict):
    """A repository."""

    id: int
    html_url: WebUrl
    name: str
    full_name: str


class GithubComment(TypedDict):
    """A comment, or the answer to a discussion."""

    id: int
    html_url: WebUrl
    user: GithubUser
    body: str
    commit_id: NotRequired[str]


class GithubIssue(TypedDict):
    """An issue or a pull request; one that stands in a comment on a pull request says so by `pull_request`."""

    id: int
    number: int
    html_url: WebUrl
    user: GithubUser
    title: str
    body: NotRequired[str]
    pull_request: NotRequired[dict[str, Json]]


class GithubRelease(TypedDict):
    """A release."""

    id: int
    tag_name: str
    html_url: WebUrl
    author: GithubUser


class GithubAuthor(TypedDict):
    """Who made a commit."""

    name: str
    username: NotRequired[str]


class GithubCommit(TypedDict):
    """A commit."""

    id: str
    url: WebUrl
    message: str
    author: GithubAuthor


class GithubReview(TypedDict):
    """A review of a pull request."""

    user: GithubUser
    html_url: WebUrl
    state: str
    body: NotRequired[str]


class GithubNumber(TypedDict):
    """A pull request that was checked."""

    number: int


class GithubApp(TypedDict):
    """What ran a check."""

    name: str


class GithubCheckSuite(TypedDict):
    """Checks of one commit."""

    head_sha: str
    app: GithubApp
    head_branch: NotRequired[str]
    conclusion: NotRequired[str]
    pull_requests: NotRequired[list[GithubNumber]]


class GithubOutput(TypedDict, total=False):
    """What a check found."""

    title: str
    summary: str


class GithubCheckRun(TypedDict):
    """One check."""

    name: str
    html_url: WebUrl
    check_suite: GithubCheckSuite
    conclusion: NotRequired[str]
    details_url: NotRequired[WebUrl]
    output: NotRequired[GithubOutput]
    pull_requests: NotRequired[list[GithubNumber]]


class GithubDiscussion(TypedDict):
    """A discussion."""

    title: str
    number: int
    html_url: WebUrl
    user: GithubUser
    body: NotRequired[str]
    answer_html_url: NotRequired[WebUrl]


class GithubPayload(TypedDict):
    """An event's payload, cut to what Discord reads: which of it there is, depends on the event."""

    sender: GithubUser
    action: NotRequired[str]
    repository: NotRequired[GithubRepository]
    ref: NotRequired[str]
    ref_type: NotRequired[str]
    compare: NotRequired[WebUrl]
    forced: NotRequired[bool]
    head_commit: NotRequired[GithubCommit]
    commits: NotRequired[list[GithubCommit]]
    issue: NotRequired[GithubIssue]
    pull_request: NotRequired[GithubIssue]
    comment: NotRequired[GithubComment]
    review: NotRequired[GithubReview]
    release: NotRequired[GithubRelease]
    forkee: NotRequired[GithubRepository]
    member: NotRequired[GithubUser]
    check_run: NotRequired[GithubCheckRun]
    check_suite: NotRequired[GithubCheckSuite]
    discussion: NotRequired[GithubDiscussion]
    answer: NotRequired[GithubComment]


# --- Slack ------------------------------------------------------------------------------------------------------------


class SlackField(TypedDict, total=False):
    """A name with its value."""

    name: str
    value: str
    inline: bool


class SlackAttachment(TypedDict, total=False):
    """What becomes an embed; `pretext` stands above it, `ts` is a Unix time in seconds."""

    title: str
    title_link: WebUrl
    text: str
    pretext: str
    color: Annotated[str, Field(pattern="^#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})$")]
    ts: int
    footer: str
    footer_icon: WebUrl
    author_name: str
    author_link: WebUrl
    author_icon: WebUrl
    image_url: WebUrl
    thumb_url: WebUrl
    fields: list[SlackField]


class SlackMessage(TypedDict, total=False):
    """A message in Slack's form."""

    text: Content
    attachments: Annotated[list[SlackAttachment], Field(max_items=10, description="become embeds")]
    username: Annotated[Name, Field(description="name to post under")]
    icon_url: WebUrl
    thread_id: ThreadId
    wait: bool


class Relayed(TypedDict):
    """A message that was passed on; Discord does not tell its id."""

    relayed: bool
    webhook_id: str


def something_for_slack(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a message without a body."""
    if not arguments.get("text") and not arguments.get("attachments"):
        yield Issue(path="text", message="is required, or attachments", code="required")


def nobody_is_pinged(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a text that would ping somebody: in Slack's form nothing can say that it shall not."""
    texts = {"text": arguments.get("text", "")}
    for place, attachment in enumerate(arguments.get("attachments", ())):
        texts[f"attachments[{place}].pretext"] = attachment.get("pretext", "")
    for path, text in texts.items():
        if any(ping in text for ping in PINGS):
            message = "would ping somebody; webhooks_execute takes mentions and pings nobody"
            yield Issue(path=path, message=message, code="conflict")
