import type { EventOf } from '@longhaul/protocol';
import { formatBytes, formatTokens, plural, printable } from '../render/format.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { field } from '../render/run-summary.ts';
import type { Inspection } from './inspect-application.ts';

export interface DemoFacts {
  finished: EventOf<'run:finished'>;
  overflows: number;
  workspace: string;
  /** The session's database, if it is kept. */
  database?: string;
  inspection?: Inspection;
  leastCompactions: number;
  /** What the parent's log has with children, and what it has without. */
  family?: FamilyFacts | undefined;
}

interface FamilyFacts {
  tokens: number;
  /** Tokens of the log of each child. */
  children: readonly number[];
  aloneTokens: number;
  aloneCompactions: number;
}

/** Reports what was built, and whether it passes its tests. */
export function demoReport(facts: DemoFacts, { colors }: { colors: boolean }): string {
  const paint = createPaint(colors);
  const { finished, inspection, overflows } = facts;
  const lines = [''];
  if (inspection !== undefined) {
    const { files, command, passed, verified } = inspection;
    const size = files.reduce((sum, file) => sum + file.size, 0);
    lines.push(paint.bold(`Built: ${plural(files.length, 'file')}, ${formatBytes(size)}`));
    lines.push(
      ...files.map((file) => `  ${formatBytes(file.size).padStart(8)}  ${printable(file.path)}`),
      '',
    );
    const sign = verified ? paint.good('✓') : paint.bad('✗');
    lines.push(
      `${sign} ${command}: ${verified ? `${plural(passed, 'test')} of the application passed` : 'failed'}`,
    );
    if (!verified) lines.push(paint.dim(printable(inspection.output).trimEnd()));
  }
  if (finished.status === 'completed' && finished.compactions < facts.leastCompactions) {
    lines.push(
      `${paint.bad('✗')} fewer than ${facts.leastCompactions} compactions: the window was too large for the demonstration`,
    );
  }
  const refused =
    overflows === 0 ? 'no request was too long' : `${plural(overflows, 'request')} refused as too long`;
  const work = `${plural(finished.stepCount, 'step')}, ${plural(finished.compactions, 'compaction')}; ${refused}`;
  lines.push(
    field('work', work, paint),
    field(
      'tokens',
      `${formatTokens(finished.usage.inputTokens)} in, ${formatTokens(finished.usage.outputTokens)} out`,
      paint,
    ),
    field('folder', facts.workspace, paint),
  );
  if (facts.family !== undefined) lines.push(...familyLines(facts.family, { finished, paint }));
  if (facts.database !== undefined) lines.push(field('session', facts.database, paint));
  if (inspection?.verified === true) {
    lines.push('', `Try it: cd ${facts.workspace} && node src/cli.js --help`);
  }
  return `${lines.join('\n')}\n`;
}

function familyLines(
  { tokens, children, aloneTokens, aloneCompactions }: FamilyFacts,
  { finished, paint }: Pick<DemoFacts, 'finished'> & { paint: Paint },
): string[] {
  const saved = Math.round((1 - tokens / aloneTokens) * 100);
  const sum = children.reduce((total, each) => total + each, 0);
  const size = (of: number, compactions: number) =>
    `${formatTokens(of)} tokens, ${plural(compactions, 'compaction')}`;
  return [
    '',
    `${saved > 0 ? paint.good('✓') : paint.bad('✗')} ${paint.bold(`Children saved ${saved} % of the parent's context`)}`,
    field('alone', size(aloneTokens, aloneCompactions), paint),
    field('parent', size(tokens, finished.compactions), paint),
    field('children', `${formatTokens(sum)} tokens in ${children.length} windows of their own`, paint),
  ];
}
