import { LonghaulError } from '@longhaul/protocol';
import { type Document, isMap, isSeq, parseDocument } from 'yaml';
import { checkLayer } from './check-layer.ts';
import type { GatewayUpstreamConfig } from './config.ts';
import type { EditedFile } from './edit-rules.ts';
import { documentText, setInFile } from './edited-document.ts';
import { parseYamlLayer } from './yaml-layer.ts';

/** Settings of the gateway to store. What is undefined stays as it is. */
export interface GatewayFileChange {
  compactor?: string | undefined;
  inputThreshold?: number | undefined;
  warningThreshold?: number | undefined;
  /** By the names of upstreams. */
  compaction?: Readonly<Record<string, NonNullable<GatewayUpstreamConfig['compaction']>>> | undefined;
}

const SECTION = 'gateway';
const VALUES = ['compactor', 'inputThreshold', 'warningThreshold'] as const;

/**
 * Returns the text of a file with changed settings of the gateway.
 *
 * @throws {LonghaulError} `config_invalid` if the file is not valid before or after the change.
 */
export function editGateway(
  { path, text, env }: EditedFile,
  { change, upstreams }: { change: GatewayFileChange; upstreams: readonly GatewayUpstreamConfig[] },
): string {
  // It is checked before it is changed: a mistake in it is reported with its own line.
  checkLayer(parseYamlLayer(path, text), env);
  const document = parseDocument(text);
  for (const key of VALUES) if (change[key] !== undefined) setInFile(document, [SECTION, key], change[key]);
  const switches = Object.entries(change.compaction ?? {});
  if (switches.length > 0) switchUpstreams(document, switches, upstreams);
  const next = documentText(document, text);
  const written = checkLayer(parseYamlLayer(path, next), env);
  // A list or an entry can be an alias of another place in the file.
  for (const [name, value] of switches) {
    const upstream = written.gateway?.upstreams?.find((each) => each.name === name);
    if (upstream?.compaction !== value) throw notChanged(path, name);
  }
  return next;
}

function notChanged(path: string, name: string): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `${path} does not list the upstream ${JSON.stringify(name)} in gateway.upstreams in a form that can be changed here. Set its compaction in the file.`,
  );
}

function switchUpstreams(
  document: Document,
  switches: readonly (readonly [string, GatewayUpstreamConfig['compaction']])[],
  upstreams: readonly GatewayUpstreamConfig[],
): void {
  const path = [SECTION, 'upstreams'];
  if (!isSeq(document.getIn(path))) setInFile(document, path, document.createNode([...upstreams]));
  const list = document.getIn(path);
  if (!isSeq(list)) return;
  for (const item of list.items) {
    const found = isMap(item) ? switches.find(([name]) => name === item.get('name')) : undefined;
    if (isMap(item) && found !== undefined) item.set('compaction', found[1]);
  }
}
