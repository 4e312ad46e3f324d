import { displayPath } from '@longhaul/core/tool-output';
import { type Differ, loadDiffer } from './carry-spelling.ts';
import { type EditMatch, matchEdit } from './match-edit.ts';
import { describeNearest } from './nearest-text.ts';
import type { PlacedText } from './place-replacement.ts';
import type { TextEdit } from './text-edit.ts';
import { replacePlaces, toLineFeeds } from './text-replacer.ts';

export interface PlannedEdits {
  /** The file's text after all edits. */
  text: string;
  /** Where they apply. Empty if an edit applies to what another one wrote. */
  places: readonly PlacedText[];
  replacements: number;
  ignoring: string[];
}

export type EditPlan = PlannedEdits | { refusal: string };

/**
 * Plans the edits of a file, all or none. Edits are read as made one after the other, and also as all made to the
 * original text. If both are possible, they must agree.
 */
export async function planEdits(original: string, edits: readonly TextEdit[]): Promise<EditPlan> {
  let differ: Promise<Differ> | undefined;
  const load = () => {
    differ ??= loadDiffer();
    return differ;
  };
  const [first] = edits;
  if (edits.length === 1 && first !== undefined)
    return planOne(original, await match(original, first, load), load);
  const toOriginal = matchedOnce(original, load);
  const inOrder = await planInOrder(original, edits, toOriginal, load);
  const atOnce = await planAtOnce(original, edits, toOriginal, load);
  if ('refusal' in inOrder) return 'refusal' in atOnce ? inOrder : atOnce;
  if ('refusal' in atOnce) return inOrder;
  if (inOrder.text === atOnce.text) return atOnce;
  return {
    refusal:
      'An edit also matches what another one writes. Nothing was changed: send them in separate calls.',
  };
}

type Load = () => Promise<Differ>;
type Matched = { places: PlacedText[]; ignoring: string[] } | { refusal: string };
type Matcher = (edit: TextEdit) => Promise<Matched>;

/** Matches each edit with the original text once: the first one is the same in both readings. */
function matchedOnce(original: string, load: Load): Matcher {
  const known = new Map<TextEdit, Promise<Matched>>();
  return (edit) => {
    const matched = known.get(edit) ?? match(original, edit, load);
    known.set(edit, matched);
    return matched;
  };
}

async function planOne(original: string, matched: Matched, load: Load): Promise<EditPlan> {
  if ('refusal' in matched) return matched;
  const { places, ignoring } = matched;
  const text = await replacePlaces(original, places, load);
  if (text === original)
    return { refusal: 'The file already has the new text at this place: nothing to change.' };
  return { text, places, replacements: places.length, ignoring };
}

async function planInOrder(
  original: string,
  edits: readonly TextEdit[],
  toOriginal: Matcher,
  load: Load,
): Promise<EditPlan> {
  let text = original;
  let replacements = 0;
  const ignoring = new Set<string>();
  for (const [index, edit] of edits.entries()) {
    const matched = await (index === 0 ? toOriginal(edit) : match(text, edit, load));
    const planned = await planOne(text, matched, load);
    if ('refusal' in planned) return { refusal: nameEdit(planned.refusal, index, edits.length) };
    text = planned.text;
    replacements += planned.replacements;
    for (const each of planned.ignoring) ignoring.add(each);
  }
  return { text, places: [], replacements, ignoring: [...ignoring] };
}

async function planAtOnce(
  original: string,
  edits: readonly TextEdit[],
  toOriginal: Matcher,
  load: Load,
): Promise<EditPlan> {
  const all: PlacedText[] = [];
  const ignoring = new Set<string>();
  for (const [index, edit] of edits.entries()) {
    const matched = await toOriginal(edit);
    if ('refusal' in matched) return { refusal: nameEdit(matched.refusal, index, edits.length) };
    all.push(...matched.places);
    for (const each of matched.ignoring) ignoring.add(each);
  }
  const places = all.toSorted((left, right) => left.start - right.start);
  const overlaps = places.some((place, index) => place.start < (places[index - 1]?.end ?? 0));
  if (overlaps) return { refusal: 'Two edits change the same text. Nothing was changed: merge them.' };
  return {
    text: await replacePlaces(original, places, load),
    places,
    replacements: places.length,
    ignoring: [...ignoring],
  };
}

function nameEdit(refusal: string, index: number, count: number): string {
  return `edit ${index + 1} of ${count}: ${refusal}\nNothing was changed.`;
}

async function match(original: string, edit: TextEdit, load: Load): Promise<Matched> {
  const wanted = { ...edit, old: toLineFeeds(edit.old), new: toLineFeeds(edit.new) };
  if (wanted.old === '')
    return { refusal: '`old` is empty: give the text to replace, or use write for a whole file.' };
  if (wanted.old === wanted.new) return { refusal: '`old` and `new` are the same: nothing to change.' };
  const text = toLineFeeds(original);
  const found = await matchEdit(text, wanted, load);
  if ('refusal' in found) return { refusal: explain(text, wanted, found) };
  const { expected } = edit;
  if (expected !== undefined && found.places.length !== expected)
    return { refusal: `\`old\` matches ${found.places.length} times, not ${expected} times.` };
  return found;
}

function explain(
  text: string,
  wanted: TextEdit,
  { refusal, places }: Extract<EditMatch, { refusal: string }>,
): string {
  return describeNearest(text, { old: wanted.old, replacement: wanted.new, refusal, places });
}

/** Names a file in a refusal. */
export function refusalFor(path: string, refusal: string): string {
  return `${displayPath(path)}: ${refusal}`;
}
