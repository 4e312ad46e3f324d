import {
  checkNarrative,
  type NarrativeFacts,
  type NarrativeForm,
  type NarrativeOptions,
  prefixRequest,
  type Summarise,
  summaryInstruction,
  transcriptChunks,
  transcriptRequest,
  withoutHeadings,
} from '../narrative.ts';
import type { ViewEntry } from '../view.ts';
import type { CompactionContext } from './draft.ts';

interface Assignment {
  /** Ids of the messages that the narrative replaces. */
  hides: readonly string[];
  form?: NarrativeForm | undefined;
  warnings: string[];
}

/**
 * Writes the narrative of this round in the requested form, with a model if there is one. Without a usable text from a
 * model, returns the form's own text from the facts, or the previous narrative.
 */
export async function writeNarrative(context: CompactionContext, assignment: Assignment): Promise<string> {
  const { form } = assignment;
  const previous = previousNarrative(context);
  const { summarise } = context;
  const written = summarise === undefined ? undefined : await askForNarrative(context, assignment, summarise);
  return written ?? form?.fromFacts(narrativeFacts(context, form)) ?? previous;
}

export function previousNarrative({ input }: CompactionContext): string {
  return input.marks.compaction?.summary.narrative ?? '';
}

/** Returns the most tokens of a narrative in this window. */
export function maxNarrativeTokens({ budget }: CompactionContext, most = 2_000): number {
  return Math.max(150, Math.min(most, Math.floor(budget.messageTokens * 0.1)));
}

function narrativeFacts(context: CompactionContext, form: NarrativeForm): NarrativeFacts {
  const { log, input, count, ledger } = context;
  return {
    maxTokens: maxNarrativeTokens(context, form.maxTokens),
    previous: previousNarrative(context),
    round: input.round,
    messages: log.messages,
    fold: ledger.foldOf(log.messages),
    count,
  };
}

/** Asks after the session's own prefix if that fits the window. Otherwise asks about a transcript, in pieces. */
async function askForNarrative(
  context: CompactionContext,
  { hides, form, warnings }: Assignment,
  summarise: Summarise,
): Promise<string | undefined> {
  const { budget, count, input } = context;
  const previous = previousNarrative(context);
  const maxTokens = maxNarrativeTokens(context, form?.maxTokens);
  const options: NarrativeOptions = {
    maxTokens,
    previous,
    count,
    focus: context.focus,
    inputTokens: budget.usableTokens - maxTokens,
    instruction: form && ((ask) => form.instruction(ask)),
  };
  const hiddenEntries = entriesOf(context, hides);
  const hiddenTokens = hiddenEntries.reduce(
    (sum, entry) => sum + input.meter.messageTokens(entry.message),
    0,
  );
  const limits = { hiddenTokens: hiddenTokens + count(previous), maxTokens, count };
  const inForm = (text: string) =>
    form === undefined ? withoutHeadings(text) : form.layOut(text, narrativeFacts(context, form));

  const prefix = prefixUpTo(input.entries, hiddenEntries.at(-1));
  if (prefixFits(context, prefix, options)) {
    const checked = checkNarrative(await summarise(prefixRequest(prefix, options)), limits);
    const text = checked.accepted ? inForm(checked.text) : undefined;
    if (checked.accepted && checked.warning !== undefined) warnings.push(checked.warning);
    if (text !== undefined) return text;
  }
  let narrative = '';
  const messages = hiddenEntries.map((entry) => entry.message);
  for (const chunk of transcriptChunks(messages, options)) {
    const request = transcriptRequest(chunk, { ...options, previous: narrative || previous });
    const checked = checkNarrative(await summarise(request), limits);
    const text = checked.accepted ? inForm(checked.text) : undefined;
    if (text === undefined) {
      const reason = checked.accepted ? 'the summary did not have the requested form' : checked.reason;
      warnings.push(`No new narrative: ${reason}. ${whatStays(narrative || previous, form)}.`);
      return narrative === '' ? undefined : narrative;
    }
    if (checked.accepted && checked.warning !== undefined) warnings.push(checked.warning);
    narrative = text;
  }
  return narrative === '' ? undefined : narrative;
}

function whatStays(narrative: string, form: NarrativeForm | undefined): string {
  if (form !== undefined) return 'The sections are filled from the ledger';
  return narrative === '' ? 'The summary is the ledger alone' : 'The previous narrative stays';
}

function entriesOf({ input }: CompactionContext, ids: readonly string[]): ViewEntry[] {
  const wanted = new Set(ids);
  return input.entries.filter((entry) => entry.source !== undefined && wanted.has(entry.source.id));
}

const INSTRUCTION_TOKENS = 250;

/** The session up to the newest message to hide. Messages that stay are not summarised. */
function prefixUpTo(entries: readonly ViewEntry[], last: ViewEntry | undefined): ViewEntry[] {
  return last === undefined ? [] : entries.slice(0, entries.indexOf(last) + 1);
}

function prefixFits(
  context: CompactionContext,
  prefix: readonly ViewEntry[],
  options: NarrativeOptions,
): boolean {
  const tokens = context.meter.requestTokens(prefix, context.budget.fixedTokens);
  const instruction = Math.max(INSTRUCTION_TOKENS, context.count(summaryInstruction(options)));
  const needed = tokens + instruction + options.maxTokens;
  return prefix.length > 0 && needed <= context.budget.windowTokens * 0.97;
}
