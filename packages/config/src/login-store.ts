import type { Environment } from './environment.ts';
import { PrivateRecord } from './private-record.ts';

/** What logins at MCP servers left, such as tokens, by the addresses of the servers. */
export class LoginStore extends PrivateRecord<unknown> {
  constructor(user: { env: Environment; home: string }) {
    super({
      user,
      fileName: 'mcp-logins.json',
      field: 'logins',
      called: 'logins',
      command: 'longhaul mcp login',
      isValue: (_value): _value is unknown => true,
    });
  }

  /** Returns undefined if there was no login. @throws {LonghaulError} `file_unreadable` */
  async get(address: string): Promise<unknown> {
    const logins = await this.read();
    return Object.hasOwn(logins, address) ? logins[address] : undefined;
  }
}
