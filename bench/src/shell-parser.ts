import { type ApprovalRule, createJudge, type ParsedLine } from '@longhaul/approvals';
import type { BenchResult } from './bench-result.ts';
import { ALLOWED, FORBIDDEN, randomLines } from './shell-parser/random-lines.ts';
import { runInBash, type Truth } from './shell-parser/real-bash.ts';
import { loadTreeSitterParser } from './shell-parser/tree-sitter-parser.ts';

const LINES = 1_000;
const SEED = 12;
const SHOWN = 5;

const BUILTINS = ['echo', 'true', 'printf', 'test', '['];
const RULES: ApprovalRule[] = [
  { tool: 'bash', action: 'ask' },
  ...[...ALLOWED, ...BUILTINS].map(
    (name): ApprovalRule => ({ tool: 'bash', command: `${name} *`, action: 'allow' }),
  ),
];

/**
 * Judges random lines with the approval rules, once with Longhaul's parser and once with tree-sitter's grammar of bash,
 * and compares the judgements with the programs that bash really starts.
 */
export async function benchShellParser(): Promise<BenchResult> {
  const lines = randomLines(LINES, SEED);
  const truths = await runInBash(lines);
  const parsers = { longhaul: undefined, 'tree-sitter-bash': await loadTreeSitterParser() };
  const rows: BenchResult['rows'] = [];
  const summary: Record<string, number> = { lines: lines.length };
  const notes: string[] = [];
  for (const [label, parse] of Object.entries(parsers)) {
    const { dangerous, annoying, harmless, usPerLine } = await measure(lines, { truths, parse });
    rows.push({
      label,
      values: { dangerous: dangerous.length, annoying: annoying.length, harmless, usPerLine },
    });
    summary[`${label}Dangerous`] = dangerous.length;
    summary[`${label}Annoying`] = annoying.length;
    notes.push(...dangerous.slice(0, SHOWN).map((line) => `${label} allows: ${JSON.stringify(line)}`));
    notes.push(...annoying.slice(0, SHOWN).map((line) => `${label} refuses: ${JSON.stringify(line)}`));
  }
  const broken =
    summary['longhaulDangerous'] === 0 ? [] : ['Longhaul allows a line that runs a forbidden program.'];
  return { name: 'shell-parser', rows, summary, notes, broken };
}

interface Measured {
  /** Allowed, although bash starts a program that no rule allows. */
  dangerous: string[];
  /** Refused, although all its commands are allowed. */
  annoying: string[];
  /** How many lines should be allowed. */
  harmless: number;
  usPerLine: number;
}

async function measure(
  lines: readonly string[],
  { truths, parse }: { truths: readonly Truth[]; parse: ((line: string) => ParsedLine) | undefined },
): Promise<Measured> {
  const judge = createJudge(RULES, parse);
  const measured: Measured = { dangerous: [], annoying: [], harmless: 0, usPerLine: 0 };
  const started = performance.now();
  const actions: string[] = [];
  for (const command of lines) {
    const call = { toolName: 'bash', input: { command }, workspacePath: '/w' };
    actions.push((await judge(call, 'ask')).action);
  }
  measured.usPerLine = Math.round(((performance.now() - started) * 1_000) / lines.length);
  for (const [index, line] of lines.entries()) {
    const truth = truths[index];
    const isAllowed = actions[index] === 'allow';
    if (truth === undefined) continue;
    const runsForbidden =
      FORBIDDEN.some((name) => truth.programs.has(name)) || (isAllowed && truth.writesFiles);
    if (isAllowed && runsForbidden) measured.dangerous.push(line);
    if (!isHarmless(line, truth)) continue;
    measured.harmless += 1;
    if (!isAllowed) measured.annoying.push(line);
  }
  return measured;
}

/** Lines that name no forbidden program, run at least one allowed one, and write no file. */
function isHarmless(line: string, { programs, isValid, writesFiles }: Truth): boolean {
  return isValid && !writesFiles && programs.size > 0 && !FORBIDDEN.some((name) => line.includes(name));
}
