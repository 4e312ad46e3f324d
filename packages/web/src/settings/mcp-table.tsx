import type { McpServerList } from '@longhaul/protocol/api';
import { formatTokens } from '../ui/format.ts';
import { SettingTable } from './setting-table.tsx';

type Server = McpServerList['servers'][number];

const STATES: Readonly<Record<Server['state'], string>> = {
  off: 'turned off',
  idle: 'not started yet',
  starting: 'starting',
  ready: 'ready',
  failed: 'failed',
};

/** The MCP servers, each with its state in the session that used it last. */
export function McpTable({ servers }: { servers: readonly Server[] }) {
  if (servers.length === 0) {
    return (
      <p className="quiet">
        None is configured. Add one with <code>longhaul mcp add</code>.
      </p>
    );
  }
  return (
    <SettingTable
      label="MCP servers"
      heads={['Server', 'State', 'Tools']}
      rows={servers.map((server) => ({
        key: server.name,
        cells: [
          <>
            <code>{server.name}</code>
            <p className="quiet">{server.place}</p>
          </>,
          <>
            {STATES[server.state]}
            {server.error !== undefined && <p className="warn">{server.error}</p>}
          </>,
          describeTools(server),
        ],
      }))}
    />
  );
}

/** The tools of a server, and what their schemas take. */
export function describeTools({
  tools,
  schemaTokens,
  isDeferred,
}: Pick<Server, 'tools' | 'schemaTokens' | 'isDeferred'>): string {
  if (tools.length === 0) return '';
  const size = `${formatTokens(schemaTokens)} tokens ${isDeferred ? 'deferred' : 'in every request'}`;
  return `${tools.join(', ')} (${size})`;
}
