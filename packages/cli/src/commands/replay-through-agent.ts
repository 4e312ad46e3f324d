import { resolve } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import type { REPLAY_FLAGS } from '../command-line/flags.ts';
import { type ParsedFlags, usage } from '../command-line/parse-flags.ts';
import { progressBar } from '../replay/progress.ts';
import { type Terminal, wantsColors } from '../terminal.ts';
import { agentReplayLines, agentReplayTable, hasPassed } from '../through-agent/report.ts';
import { replayThroughAgent } from '../through-agent/through-agent.ts';

export interface ThroughAgentCommand extends Pick<ParsedFlags<typeof REPLAY_FLAGS>, 'values'> {
  paths: readonly string[];
  windows: readonly number[];
  signal: AbortSignal;
}

/** `longhaul replay --through-agent FILE…`: plays recorded sessions through the whole runtime. */
export async function throughAgent(command: ThroughAgentCommand, terminal: Terminal): Promise<number> {
  const { values, paths, signal } = command;
  refuseOthers(values);
  const cwd = resolve(terminal.cwd, values.cwd ?? '.');
  const [windowTokens = 0, ...more] = command.windows;
  if (more.length > 0) throw usage('--through-agent takes one --window.', 'replay');
  using bar = progressBar(terminal);
  const report = await replayThroughAgent({
    paths,
    windowTokens,
    wantsNarratives: narrativeOf(values) === 'scripted',
    onFile: (progress) => bar.show(progress),
    signal,
    strategy: values.strategy,
    database: values.database === undefined ? undefined : resolve(cwd, values.database),
  });
  bar[Symbol.dispose]();
  if (values.json === true) for (const line of agentReplayLines(report)) terminal.out.write(`${line}\n`);
  else terminal.out.write(agentReplayTable(report, { colors: wantsColors(terminal, values['no-color']) }));
  if (signal.aborted) return 130;
  return report.sessions.length > 0 && report.sessions.every(hasPassed) ? 0 : 1;
}

function narrativeOf({ narrative, summarizer }: ThroughAgentCommand['values']): string | undefined {
  return narrative ?? summarizer;
}

const OTHER_FLAGS = [
  'against-recorded',
  'baselines',
  'html',
  'max-cost',
  'partial',
  'probes',
  'view-command',
  'workers',
] as const;

function refuseOthers(values: ThroughAgentCommand['values']): void {
  const other = OTHER_FLAGS.find((name) => values[name] !== undefined);
  if (other !== undefined) throw usage(`--${other} does not go with --through-agent.`, 'replay');
  const narrative = narrativeOf(values);
  if (!['none', 'scripted', undefined].includes(narrative)) {
    throw new LonghaulError(
      'usage',
      `With --through-agent, --narrative is none or scripted (a short text by the scripted model), not "${narrative}".`,
    );
  }
}
