"""Facts about taking a fact out of requests of Bedrock and Cohere, and about putting messages back."""

from __future__ import annotations

from typing import Any

from inspector.probes.controls import GAP, without_facts
from inspector.probes.repair import with_messages
from snapshot_sdk.facts import Fact

ID = Fact("id", "ORD-2024-001")


def test_a_fact_is_taken_out_of_results_of_bedrock() -> None:
    """Of arguments and of JSON; the id that a call and its result share stays."""
    used = {"toolUse": {"toolUseId": "ORD-2024-001", "name": "look", "input": {"order": "ORD-2024-001"}}}
    result = {"toolUseId": "ORD-2024-001", "content": [{"json": {"order": "ORD-2024-001"}}]}
    messages = [{"role": "assistant", "content": [used]}, {"role": "user", "content": [{"toolResult": result}]}]
    edited = without_facts([ID])("bedrock.converse", {"messages": messages})
    [asked], [answered] = (message["content"] for message in edited["messages"])

    assert asked["toolUse"] == {"toolUseId": "ORD-2024-001", "name": "look", "input": {"order": GAP}}
    assert answered["toolResult"] == {"toolUseId": "ORD-2024-001", "content": [{"json": {"order": GAP}}]}


def test_a_fact_is_taken_out_of_documents_of_cohere() -> None:
    """They are part of its prompt."""
    documents = [{"id": "d1", "data": {"text": "The order is ORD-2024-001."}}]
    edited = without_facts([ID])("cohere.chat", {"messages": [], "documents": documents})

    assert edited["documents"] == [{"id": "d1", "data": {"text": f"The order is {GAP}."}}]


def test_messages_are_put_back_into_the_first_of_the_user() -> None:
    """At Bedrock, where user and assistant must alternate; at Cohere they are a message of their own."""
    edit = with_messages(["The order is ORD-2024-001."])
    talk: list[dict[str, Any]] = [{"role": "user", "content": [{"text": "Hi"}]}]
    [first] = edit("bedrock.converse", {"messages": talk})["messages"]
    rules = {"role": "system", "content": "Be kind."}
    cohere = edit("cohere.chat", {"messages": [rules, {"role": "user", "content": "Hi"}]})["messages"]

    assert [block["text"] for block in first["content"]] == [
        "Earlier in this conversation:\n\nThe order is ORD-2024-001.",
        "Hi",
    ]
    assert [one["role"] for one in cohere] == ["system", "user", "user"]
    assert talk == [{"role": "user", "content": [{"text": "Hi"}]}]
