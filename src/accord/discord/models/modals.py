"""Modals: forms that a person fills in. https://discord.com/developers/docs/components/reference."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from accord.discord.models.components import ComponentId, CustomId, DefaultValues, SelectOption
from accord.engine import Field

__all__ = ["InputRow", "Label"]


class ModalPart(TypedDict):
    """What every field of a form has."""

    custom_id: CustomId
    id: NotRequired[ComponentId]


class FormPart(ModalPart):
    """A field that has to be filled in unless `required` is false."""

    required: NotRequired[bool]


class TextInput(FormPart):
    """A text of one line (style 1) or several (2). `label` only in an action row."""

    type: Literal[4]
    style: Literal[1, 2]
    label: NotRequired[Annotated[str, Field(min_length=1, max_length=45)]]
    placeholder: NotRequired[Annotated[str, Field(max_length=100)]]
    value: NotRequired[Annotated[str, Field(max_length=4000)]]
    min_length: NotRequired[Annotated[int, Field(minimum=0, maximum=4000)]]
    max_length: NotRequired[Annotated[int, Field(minimum=1, maximum=4000)]]


class FormSelect(FormPart):
    """What every menu of a form has."""

    placeholder: NotRequired[Annotated[str, Field(max_length=150)]]
    min_values: NotRequired[Annotated[int, Field(minimum=0, maximum=25)]]
    max_values: NotRequired[Annotated[int, Field(minimum=1, maximum=25)]]


class FormStringSelect(FormSelect):
    """A menu of fixed choices."""

    type: Literal[3]
    options: Annotated[list[SelectOption], Field(min_items=1, max_items=25)]


class FormEntitySelect(FormSelect):
    """A menu of users (5), roles (6) or both (7)."""

    type: Literal[5, 6, 7]
    default_values: NotRequired[DefaultValues]


class FormChannelSelect(FormSelect):
    """A menu of channels, of all kinds or of these."""

    type: Literal[8]
    channel_types: NotRequired[list[Literal[0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15]]]
    default_values: NotRequired[DefaultValues]


class FileUpload(FormPart):
    """Up to ten files."""

    type: Literal[19]
    min_values: NotRequired[Annotated[int, Field(minimum=0, maximum=10)]]
    max_values: NotRequired[Annotated[int, Field(minimum=1, maximum=10)]]


class Choice(TypedDict):
    """One choice of a group."""

    label: Annotated[str, Field(min_length=1, max_length=100)]
    value: Annotated[str, Field(min_length=1, max_length=100)]
    description: NotRequired[Annotated[str, Field(max_length=100)]]
    default: NotRequired[bool]


class RadioGroup(FormPart):
    """Two to ten choices of which one is taken."""

    type: Literal[21]
    options: Annotated[list[Choice], Field(min_items=2, max_items=10)]


class CheckboxGroup(FormPart):
    """One to ten choices of which several may be taken."""

    type: Literal[22]
    options: Annotated[list[Choice], Field(min_items=1, max_items=10)]
    min_values: NotRequired[Annotated[int, Field(minimum=0, maximum=10)]]
    max_values: NotRequired[Annotated[int, Field(minimum=1, maximum=10)]]


class Checkbox(ModalPart):
    """A yes or a no."""

    type: Literal[23]
    default: NotRequired[bool]


class Label(TypedDict):
    """A field of a form with its name above it."""

    type: Literal[18]
    id: NotRequired[ComponentId]
    label: Annotated[str, Field(min_length=1, max_length=45)]
    description: NotRequired[Annotated[str, Field(min_length=1, max_length=100)]]
    component: (
        TextInput
        | FormStringSelect
        | FormEntitySelect
        | FormChannelSelect
        | FileUpload
        | RadioGroup
        | CheckboxGroup
        | Checkbox
    )


class InputRow(TypedDict):
    """A text field in the older form, with its label in itself."""

    type: Literal[1]
    id: NotRequired[ComponentId]
    components: Annotated[list[TextInput], Field(min_items=1, max_items=1)]
