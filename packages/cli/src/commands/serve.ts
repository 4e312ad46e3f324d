import { flushCompileCache } from 'node:module';
import type { Config, ConfigInput } from '@longhaul/config';
import { addAgentFolder } from '@longhaul/core/host-programs';
import { LonghaulError, visibleLine } from '@longhaul/protocol';
import type { LogLevel, LonghaulServer, ServerRole } from '@longhaul/server';
import { SERVE_FLAGS } from '../command-line/flags.ts';
import { oneOf, parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { openCache } from '../compose/open-cache.ts';
import { openStorage } from '../compose/open-storage.ts';
import { openTelemetry } from '../compose/open-telemetry.ts';
import { collectAside } from '../serve/collect-aside.ts';
import { DailyRetention } from '../serve/daily-retention.ts';
import { followSettings } from '../serve/followed-settings.ts';
import { holdLines } from '../serve/held-lines.ts';
import { loggedWarnings, type ServeLog } from '../serve/logged-warnings.ts';
import { openBrowser } from '../serve/open-browser.ts';
import { clusterAddress, openCluster } from '../serve/open-cluster.ts';
import { openServedAgent } from '../serve/open-served-agent.ts';
import { roomHere, runPlaces, SERVER_MEMORY_MB } from '../serve/run-places.ts';
import { type Banner, modelOf, serverBanner } from '../serve/server-banner.ts';
import { serverOptions } from '../serve/server-options.ts';
import { flushMsOf, reopen, type StopSignals, stopSignals, untilStopped } from '../serve/stop-signals.ts';
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
  const role = oneOf<ServerRole>(values.role, '--role', SERVE_FLAGS.role.values) ?? 'all';
  const flags = toConfig(values);
  const room = roomHere();
  await divideService();
  const held = holdLines(terminal);
  const first = await loadSettings(values, held.terminal, flags);
  const url = first.config.storage.url;
  const address = await clusterAddress(first.config);
  const storage = await openStorage(first.config.storage, { serverAddress: () => address?.current });
  await using _store = storage.store;
  await using chats = await openCache(url);
  const places = runPlaces(first.config, room);
  await using cluster = await openCluster(first.config, {
    role,
    maxRuns: places.max,
    address: address?.current,
  });
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
    dispatcher: cluster.dispatcher,
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
  using _followed =
    cluster.dispatcher &&
    followSettings(storage.store, settings, (error) =>
      log.warn({ err: error }, 'taking over the settings of another server failed'),
    );
  cluster.reportTo((problem) =>
    log.warn({ err: problem }, 'the queue of sessions has a problem, and continues'),
  );
  const { server: place } = config;
  // From here on a signal stops the server cleanly, also one that comes right after its address is printed.
  using signals = stopSignals(logFile && (() => reopen(logFile, log)));
  await using _telemetry = await openTelemetry(config.telemetry.otlp, agent.runtime, {
    flushMs: () => flushMsOf({ stopGraceMs: place.stopGraceMs, sinceMs: signals.sinceMs }),
    warn: (message) => log.warn(message),
  });
  using _watchdog = watchMainThread(agent.runtime);
  const server = await startServer({
    ...serverOptions(settings, { url, env: terminal.env, places }),
    agent,
    role,
    cluster: address,
    token: known?.token,
    namedTokens: new NamedTokens(folder),
    workspaces,
    log,
    version: await version(),
  });
  using _retention = new DailyRetention({
    store: storage.store,
    hasLimit: () => !url.startsWith('memory:') && hasRetention(settings.config),
    activeRuns: () => server.activeRuns,
    collect: () => collectAside(placeFlags(values), { env: { ...terminal.env } }),
    log,
  });
  const page = values.open === true ? server.newPageAddress() : undefined;
  const banner: Banner = {
    url: server.url,
    page,
    ...(await modelOf(agent)),
    places,
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
  logStart({ server, banner, signals, log });
  return await untilStopped(server, { signals, terminal, log });
}

/** Loads the module only where a service can have its cgroup. */
async function divideService(): Promise<void> {
  if (process.env['INVOCATION_ID'] === undefined) return;
  const { divideServiceCgroup } = await import('@longhaul/sandbox');
  await divideServiceCgroup({ reservedBytes: SERVER_MEMORY_MB * 1024 * 1024 });
}

/** Logs what the operator should know, and what is found to be missing a moment later. */
function logStart({
  server,
  banner: { places, interrupted, waiting, elsewhere, resumed },
  signals,
  log,
}: {
  server: LonghaulServer;
  banner: Banner;
  signals: StopSignals;
  log: ServeLog;
}): void {
  const { max: maxRuns, warning } = places;
  log.info({ url: server.url, maxRuns, interrupted, waiting, elsewhere, resumed }, 'listening');
  if (warning !== undefined) log.warn(warning);
  void server.problems().then((problems) => {
    if (signals.sinceMs !== undefined) return;
    // A first start keeps its compiled code now: at its end, this could take longer than a stop may.
    flushCompileCache();
    for (const problem of problems) log.warn(`not ready: ${problem}`);
  });
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
