import type { DefectKind } from '../checks/defect.ts';
import { defectLine, isClean } from '../report.ts';
import type { FamiliesResult } from './run-families.ts';
import { FAMILY_POINTS } from './torture-family.ts';

export interface FamilySummary {
  kills: number;
  /** Results of children, messages and effects that are missing. */
  lostResults: number;
  /** Results that a parent has twice. */
  deliveredTwice: number;
  /** Children, tasks of children and effects that were started twice. */
  startedTwice: number;
  /** Children without a call, and runs of children that have not ended. */
  orphans: number;
  /** Calls that waited for a child and have an unknown outcome. */
  unknownOutcomes: number;
  /** All other defects. */
  corruptions: number;
  children: number;
  completed: boolean;
}

const COUNTED: Readonly<Record<DefectKind, keyof FamilySummary>> = {
  'lost-message': 'lostResults',
  'duplicate-message': 'deliveredTwice',
  'repeated-side-effect': 'startedTwice',
  'orphan-call': 'orphans',
  'unknown-outcome': 'unknownOutcomes',
  corruption: 'corruptions',
};

/** The last line of `--children --json`. */
export function familySummaryOf({ kills, defects, figures, completed }: FamiliesResult): FamilySummary {
  const count = (key: keyof FamilySummary) => defects.filter(({ kind }) => COUNTED[kind] === key).length;
  return {
    kills,
    lostResults: count('lostResults'),
    deliveredTwice: count('deliveredTwice'),
    startedTwice: count('startedTwice'),
    orphans: count('orphans'),
    unknownOutcomes: count('unknownOutcomes'),
    corruptions: count('corruptions'),
    children: figures.children,
    completed,
  };
}

export function closingFamilyLines(
  result: FamiliesResult,
  { seed, seconds }: { seed: number; seconds: number },
): string[] {
  const { kills, lives, figures, struck } = result;
  const missed = FAMILY_POINTS.filter((point) => !struck.has(point));
  const lines = [
    '',
    `${kills} kills in ${lives} processes, ${Math.round(seconds)} s, seed ${seed}.`,
    `${figures.children} children, ${figures.delivered} results as messages, ${figures.effects} effects, ${figures.cancelled} calls cancelled with their child.`,
    `Fault points struck: ${struck.size} of ${FAMILY_POINTS.length}${missed.length === 0 ? '' : `; not struck: ${missed.join(', ')}`}.`,
  ];
  if (isClean(result))
    return [...lines, 'No defects: every result arrived once, and nothing was started twice.'];
  return [
    ...lines,
    ...result.defects.map(defectLine),
    ...(result.completed ? [] : ['A parent did not reach its final answer.']),
    `Records: ${result.folder}. To repeat: npm run torture -- --children --kills ${kills} --seed ${seed}`,
  ];
}
