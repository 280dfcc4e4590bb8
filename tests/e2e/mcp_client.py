"""Speaks to `fak mcp` with the official client library (PyPI `mcp`), in one of its two manners of connecting:
`legacy` (initialize) or `auto` (server/discover first). Every check is one TAP line for tests/e2e/test_mcp_client.sh."""
import asyncio
import json
import sys

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

mode, expected = sys.argv[1:]


def check(name, good, seen=""):
    print(f"{'ok' if good else 'not ok'} - {mode}: {name}")
    if not good:
        print(f"# {seen}")


async def told(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    return result.is_error, result.content[0].text


async def main():
    server = StdioServerParameters(command="fak", args=["mcp"], env=None)
    async with Client(stdio_client(server), mode=mode) as client:
        check("the version", client.protocol_version == expected, client.protocol_version)
        check("instructions", "Prior-art" in (client.instructions or ""), client.instructions)
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        names = {"lookup", "rows_for_files", "explain", "milestones", "gaps"}
        check("the tools", set(tools) == names, set(tools))
        check("they only read", all(t.annotations.read_only_hint for t in tools.values()))
        failed, text = await told(client, "lookup", query="fused-attention")
        check("lookup", not failed and json.loads(text)["rows"][0]["op"] == "fused-attention", text)
        failed, text = await told(client, "rows_for_files", files=["engine/kernels/ref/rope.c"])
        check("rows_for_files", not failed and json.loads(text)["files"][0]["rows"][0]["op"] == "rope", text)
        failed, text = await told(client, "explain", name="kv-cache")
        check("explain", not failed and json.loads(text)["rows"][0]["row"]["slug"] == "kv-cache", text)
        failed, text = await told(client, "milestones", axis="attention")
        check("milestones", not failed and json.loads(text)["ladder"]["rungs"], text)
        failed, text = await told(client, "gaps")
        check("gaps", not failed and json.loads(text)["n_gaps"] >= 0, text)
        failed, text = await told(client, "lookup", query="qqqqqq")
        check("an unknown name is told to the model", failed and "qqqqqq" in text, text)
        try:
            await client.call_tool("nothing", {})
            check("an unknown tool is an error of the protocol", False, "no error")
        except MCPError as error:
            check("an unknown tool is an error of the protocol", error.code == -32602, error)
        many = await asyncio.gather(*(told(client, "lookup", query="rope") for _ in range(20)))
        check("twenty requests at once", all(not failed for failed, _ in many))
    check("it ends with its client", True)


asyncio.run(asyncio.wait_for(main(), 60))
