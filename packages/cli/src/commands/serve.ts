import { fileURLToPath } from 'node:url';
import type { Config, ConfigInput } from '@longhaul/config';
import { addAgentFolder } from '@longhaul/core/host-programs';
import { LonghaulError, visibleLine } from '@longhaul/protocol';
import type { LogLevel, ServedAgent } from '@longhaul/server';
import { PAGE_FOLDER } from '@longhaul/web';
import { SERVE_FLAGS } from '../command-line/flags.ts';
import { oneOf, parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { openCache } from '../compose/open-cache.ts';
import { openStorage } from '../compose/open-storage.ts';
import { openTelemetry } from '../compose/open-telemetry.ts';
import { collectAside } from '../serve/collect-aside.ts';
import { DailyRetention } from '../serve/daily-retention.ts';
import { healthProbes } from '../serve/health-probes.ts';
import { holdLines } from '../serve/held-lines.ts';
import { loggedWarnings } from '../serve/logged-warnings.ts';
import { openBrowser } from '../serve/open-browser.ts';
import { openServedAgent } from '../serve/open-served-agent.ts';
import { replayUploads } from '../serve/replay-upload.ts';
import { type Banner, serverBanner } from '../serve/server-banner.ts';
import { flushMsOf, reopen, stopSignals, untilStopped } from '../serve/stop-signals.ts';
import { tokenPlace } from '../serve/token-place.ts';
import { columnsOf, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { watchMainThread } from '../watchdog/watchdog.ts';

/** `longhaul serve`: serves sessions over HTTP until a signal stops it. */
export async function serve(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'serve', SERVE_FLAGS);
  if (positionals.length > 0) throw usage(`longhaul serve takes no "${positionals[0]}".`, 'serve');
  const level =
    oneOf<LogLevel>(values['log-level'], '--log-level', SERVE_FLAGS['log-level'].values) ?? 'info';
  const flags = toConfig(values);
  const held = holdLines(terminal);
  const first = await loadSettings(values, held.terminal, flags);
  const url = first.config.storage.url;
  const storage = await openStorage(url);
  await using _store = storage.store;
  await using chats = await openCache(url);
  const {
    createSecretMask,
    createServerLog,
    leftSessions,
    maskNamedTokens,
    NamedTokens,
    openLogFile,
    startServer,
  } = await import('@longhaul/server');
  const { loadToken } = await import('@longhaul/models/http');
  const { workspaces: configured } = first.config.server;
  const workspaces = configured.length > 0 ? configured : [first.workspace];
  for (const workspace of workspaces) addAgentFolder(workspace);
  const { path: tokenFile, folder, exposedIn } = tokenPlace({ url, home: first.home, workspaces });
  const known = values['no-token'] === true ? undefined : await loadToken(tokenFile);
  if (known !== undefined && exposedIn !== undefined)
    held.terminal.err.write(exposedLine(tokenFile, exposedIn));
  const { agent, settings } = await openServedAgent(first, {
    terminal,
    storage,
    chats,
    hasToken: known !== undefined,
  });
  const { config } = settings;
  if (values.open === true && !config.web.enabled) throw pageIsOff();
  const maskToken = createSecretMask(known === undefined ? [] : [known.token]);
  const maskSecrets = createSecretMask(() => settings.secrets);
  const logFile = values['log-file'] === undefined ? undefined : openLogFile(values['log-file']);
  using _logFile = logFile;
  const log = createServerLog(logFile ?? terminal.err, {
    level,
    mask: (text) => maskNamedTokens(maskToken(maskSecrets(text))),
  });
  using _warnings = loggedWarnings(log);
  for (const line of held.lines) log.warn(line);
  const { server: place } = config;
  // From here on a signal stops the server cleanly, also one that comes right after its address is printed.
  using signals = stopSignals(logFile && (() => reopen(logFile, log)));
  await using _telemetry = await openTelemetry(config.telemetry.otlp, agent.runtime, {
    flushMs: () => flushMsOf({ stopGraceMs: place.stopGraceMs, sinceMs: signals.sinceMs }),
    warn: (message) => log.warn(message),
  });
  using _watchdog = watchMainThread(agent.runtime);
  const server = await startServer({
    agent,
    host: place.host,
    port: place.port,
    token: known?.token,
    namedTokens: new NamedTokens(folder),
    workspaces,
    hosts: place.hosts,
    origins: place.origins,
    trustProxy: place.trustProxy,
    maxRuns: place.maxRuns,
    secrets: () => settings.secrets,
    openai: place.openai,
    replay: replayUploads(),
    probes: healthProbes({ url, config: () => settings.config, env: terminal.env }),
    webFolder: config.web.enabled ? fileURLToPath(PAGE_FOLDER) : undefined,
    limits: {
      jsonBytes: place.maxBodyBytes,
      uploadBytes: place.maxUploadBytes,
      stopGraceMs: place.stopGraceMs,
      rate:
        place.requestsPerSecond === null
          ? null
          : { perSecond: place.requestsPerSecond, burst: 5 * place.requestsPerSecond },
    },
    log,
    version: await version(),
  });
  using _retention = new DailyRetention({
    store: storage.store,
    hasLimit: () => url.startsWith('sqlite:') && hasRetention(settings.config),
    activeRuns: () => server.activeRuns,
    collect: () => collectAside(placeFlags(values), { env: { ...terminal.env } }),
    log,
  });
  const page = values.open === true ? server.newPageAddress() : undefined;
  const banner: Banner = {
    url: server.url,
    page,
    ...(await modelOf(agent)),
    tokenFile: known === undefined ? undefined : tokenFile,
    isNewToken: known?.isNew,
    ...(await leftSessions(storage.store)),
    resumed: values.resume === true ? await server.resumeInterrupted() : [],
  };
  terminal.out.write(
    values.json
      ? `${JSON.stringify({ type: 'listening', ...banner })}\n`
      : serverBanner(banner, columnsOf(terminal.out)),
  );
  if (page !== undefined && !(await openBrowser(page, terminal)))
    log.warn('no browser was found: open the address of the page yourself');
  const { interrupted, waiting, elsewhere, resumed } = banner;
  log.info({ url: server.url, interrupted, waiting, elsewhere, resumed }, 'listening');
  void server.problems().then((problems) => {
    if (signals.sinceMs !== undefined) return;
    for (const problem of problems) log.warn(`not ready: ${problem}`);
  });
  return await untilStopped(server, { signals, terminal, log });
}

function pageIsOff(): LonghaulError {
  return new LonghaulError(
    'usage',
    'The page is turned off (web.enabled: false in the configuration). Turn it on, or leave out --open.',
  );
}

function exposedLine(tokenFile: string, workspace: string): string {
  return `longhaul: ${visibleLine(`the token ${tokenFile} is in the workspace ${workspace}: the agent can read it, and answer its own approvals. Serve other folders (server.workspaces), or move the database (storage.url).`)}\n`;
}

/** The model of sessions that name none. A server without one starts, since each session can name its own. */
async function modelOf({ models }: ServedAgent): Promise<Pick<Banner, 'model' | 'modelProblem'>> {
  try {
    return { model: await models.resolve(undefined) };
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    return error.code === 'model_not_configured' ? {} : { modelProblem: error.message };
  }
}

function hasRetention({ storage: { retention } }: Config): boolean {
  return retention.days !== null || retention.maxBytes !== null;
}

/** The flags with which another command of this program finds the same configuration. */
function placeFlags({ cwd, config, trust }: { cwd?: string; config?: string; trust?: boolean }): string[] {
  return [
    ...(cwd === undefined ? [] : ['--cwd', cwd]),
    ...(config === undefined ? [] : ['--config', config]),
    ...(trust === true ? ['--trust'] : []),
  ];
}

function toConfig(values: { host?: string; port?: string }): ConfigInput {
  const port = values.port === '0' ? 0 : positiveNumber(values.port, '--port', { whole: true, max: 65_535 });
  return {
    server: {
      host: values.host,
      port,
    },
  };
}
