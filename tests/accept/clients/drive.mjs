// The client of the TypeScript SDK: `node drive.mjs CLIENT COMMAND ...`, as drive.py does it.

import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [, , , command, ...args] = process.argv;
const client = new Client({ name: "drive", version: "1" });
await client.connect(new StdioClientTransport({ command, args }));
const tools = [];
let cursor;
do {
  const page = await client.listTools(cursor === undefined ? undefined : { cursor });
  tools.push(...page.tools);
  cursor = page.nextCursor;
} while (cursor !== undefined);
console.log(JSON.stringify(Object.fromEntries(tools.map((tool) => [tool.name, tool.inputSchema]))));
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let said;
  try {
    const result = await client.callTool(asked);
    said = [result.isError === true, result.structuredContent ?? result.content];
  } catch (error) {
    said = [true, String(error)];
  }
  console.log(JSON.stringify(said));
}
await client.close();
