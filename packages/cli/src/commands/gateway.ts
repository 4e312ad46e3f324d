import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Config, type ConfigInput, type GatewayUpstreamConfig, isEmbeddedName } from '@longhaul/config';
import { LOCAL_SERVERS } from '@longhaul/models';
import { GATEWAY_FLAGS } from '../command-line/flags.ts';
import { oneOf, parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { forgetWindows, type OpenGateway, openGateway } from '../compose/open-gateway.ts';
import { type AssumedUpstream, describeAssumedUpstreams } from '../gateway/assumed-upstreams.ts';
import { gatewayBanner } from '../gateway/gateway-banner.ts';
import { createGatewayLog } from '../gateway/gateway-log.ts';
import { openPage } from '../gateway/open-page.ts';
import { printable } from '../render/format.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import { openBrowser } from '../serve/open-browser.ts';
import type { Terminal } from '../terminal.ts';

/** `longhaul gateway`: runs in front of servers of local models until it is stopped. */
export async function gateway(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'gateway', GATEWAY_FLAGS);
  if (positionals.length > 0) {
    throw usage(
      `longhaul gateway takes no "${positionals[0]}"; a server is named with --upstream.`,
      'gateway',
    );
  }
  const settings = await loadSettings(values, terminal, toConfig(values));
  const { config, origins } = settings;
  if (values.forget !== undefined) return forget(config, values.forget, { terminal, json: values.json });
  using interrupt = watchInterrupts(terminal, () => {});
  const log = createGatewayLog(terminal, { json: values.json === true });
  const configFile = values.config === undefined ? undefined : resolve(terminal.cwd, values.config);
  const page = await openPage(settings, { env: terminal.env, configFile });
  if (page.warning !== undefined) log({ level: 'warn', message: page.warning });
  await using open = await openGateway(config, {
    env: terminal.env,
    allowAnyone: values['no-token'] === true,
    page: page.options,
    log,
  });
  const { url, port, pageAddress } = open.gateway;
  const { upstreams } = open.gateway.status();
  const signInAddress = values.open === true ? open.gateway.newPageAddress() : undefined;
  const shownPage =
    pageAddress === undefined
      ? undefined
      : { address: signInAddress ?? pageAddress, tokenFile: page.tokenFile };
  if (values.json)
    terminal.out.write(`${JSON.stringify({ type: 'listening', url, port, upstreams, page: shownPage })}\n`);
  if (values.upstream === undefined) {
    const write = (text: string) => void terminal.out.write(`${printable(text)}\n`);
    await reportAssumed(open, {
      file: origins['gateway.upstreams']?.path,
      signal: interrupt.signal,
      report: ({ name, doesAnswer, text }) =>
        values.json
          ? log({ level: doesAnswer ? 'info' : 'warn', upstream: name, message: text })
          : write(text),
    });
  }
  if (!values.json) terminal.out.write(gatewayBanner(open.gateway, shownPage));
  if (signInAddress !== undefined && !(await openBrowser(signInAddress, terminal)))
    terminal.err.write('longhaul: no browser was found. Open the address of the page yourself.\n');
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  return 0;
}

interface ReportAssumedOptions {
  file: string | undefined;
  signal: AbortSignal;
  report: (assumed: AssumedUpstream) => void;
}

async function reportAssumed(
  { gateway, upstreams }: OpenGateway,
  { file, signal, report }: ReportAssumedOptions,
): Promise<void> {
  const shown = gateway.status().upstreams;
  const assumed = await describeAssumedUpstreams({ shown, upstreams, file, signal });
  // An interrupted check says nothing about the upstreams.
  if (!signal.aborted) for (const each of assumed) report(each);
}

async function forget(
  config: Config,
  models: readonly string[],
  { terminal, json }: { terminal: Terminal; json: boolean | undefined },
): Promise<number> {
  for (const forgotten of await forgetWindows(config, models, terminal.env)) {
    const { model, upstream, windowTokens } = forgotten;
    const wasLearned = windowTokens !== undefined;
    const type = wasLearned ? 'forgotten' : 'nothing-learned';
    const line = wasLearned
      ? `Forgotten: a window of ${windowTokens} tokens, of ${model} at ${upstream}.`
      : `No window of ${model} was learned at ${upstream}.`;
    terminal.out.write(json ? `${JSON.stringify({ type, ...forgotten })}\n` : `${printable(line)}\n`);
  }
  return 0;
}

interface GatewayValues {
  upstream?: string[];
  host?: string;
  port?: string;
  notices?: string;
  compactor?: string;
}

function toConfig(values: GatewayValues): ConfigInput {
  const port = values.port === '0' ? 0 : positiveNumber(values.port, '--port', { whole: true, max: 65_535 });
  const notices = oneOf(values.notices, '--notices', ['text', 'reasoning', 'comment', 'off'] as const);
  return {
    gateway: {
      ...(values.upstream === undefined ? {} : { upstreams: values.upstream.map(toUpstream) }),
      host: values.host,
      port,
      notices,
      compactor: values.compactor,
    },
  };
}

/** `URL` or `NAME=URL`. Without a name, the server that usually listens at its port gives it one. */
function toUpstream(text: string): GatewayUpstreamConfig {
  const [, name, url = text] = /^([A-Za-z0-9][\w.-]*)=(.+)$/.exec(text) ?? [];
  if (isEmbeddedName(url)) return { name: name ?? 'embedded', baseUrl: url };
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw usage(
      `--upstream must be an http:// or https:// URL, embedded:MODEL, or NAME=URL, not "${text}".`,
      'gateway',
    );
  }
  return { name: name ?? usualName(new URL(url)), baseUrl: url };
}

function usualName({ port }: URL): string {
  return LOCAL_SERVERS.find(({ baseUrl }) => new URL(baseUrl).port === port)?.name ?? 'upstream';
}
