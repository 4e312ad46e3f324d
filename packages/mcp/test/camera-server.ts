/** An MCP server with one tool that returns an image. Appends each call to the file in its first argument. */
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const server = new McpServer({ name: 'camera', version: '1' });
server.registerTool('photo', { description: 'Takes a photo.' }, () => {
  appendFileSync(process.argv[2] ?? '', 'photo\n');
  return {
    content: [
      { type: 'text', text: 'The photo shows a red door.' },
      { type: 'image', mimeType: 'image/png', data: PNG },
    ],
  };
});
await server.connect(new StdioServerTransport());
