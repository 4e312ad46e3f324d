import { alwaysWords, visibleLine } from '@longhaul/protocol';
import type { QuestionForm } from '../../questions/question-form.ts';
import { plural } from '../../render/format.ts';
import type { GivenAnswer } from '../panels/approval-panel.ts';
import type { ApprovalOptions, PickOptions } from './surface.ts';

/** A question that a person answers with a line. */
export interface PlainQuestion {
  text: string;
  /** Returns false if the line is not an answer. */
  answer: (line: string) => boolean;
  /** Ctrl-C. */
  leave: () => void;
}

const MAX_CHOICES = 30;

/** A numbered list. */
export function choiceQuestion<T>(
  { title, items }: PickOptions<T>,
  onDone: (value: T | undefined) => void,
): PlainQuestion {
  const shown = items.slice(0, MAX_CHOICES);
  const lines = shown.map(
    ({ label, description }, index) => `${index + 1}  ${label}${description ? ` (${description})` : ''}`,
  );
  const more =
    items.length > shown.length ? [`and ${items.length - shown.length} more: type words to find one`] : [];
  return {
    text: [title, ...lines, ...more, 'Type a number, or only Enter to cancel:'].join('\n'),
    answer: (line) => {
      const found =
        line === ''
          ? undefined
          : (shown[Number(line) - 1] ?? items.find(({ label }) => label.includes(line)));
      if (line !== '' && found === undefined) return false;
      onDone(found?.value);
      return true;
    },
    leave: () => onDone(undefined),
  };
}

export function callQuestion(options: ApprovalOptions): PlainQuestion {
  const { request, permanent, waiting, onAnswer, onAlways, onStop } = options;
  const more = waiting === 0 ? '' : ` ${plural(waiting, 'more question')} to come.`;
  const always = visibleLine(alwaysWords(request));
  const written =
    permanent === undefined ? '' : ` w: always, in every folder: writes ${permanent.join(', ')}.`;
  return {
    text: `Allow ${request.toolName}? y: once. a: always in this session: ${always}.${written} n: no; n and words: no, with this reason. s: stop.${more}`,
    answer: (line) => {
      if (line === 'w' && permanent !== undefined) {
        onAlways();
        return true;
      }
      const answer = line === 's' ? 'stop' : answerOf(line);
      if (answer === undefined) return false;
      if (answer === 'stop') onStop();
      else onAnswer(answer);
      return true;
    },
    leave: onStop,
  };
}

/** Asks for the next field of a question of a server. `ask` asks for the one after it. */
export function fieldQuestion(
  form: QuestionForm,
  { onAnswer, onStop }: Pick<ApprovalOptions, 'onAnswer' | 'onStop'>,
  ask: (question: PlainQuestion) => void,
): PlainQuestion {
  return {
    text: `${form.prompt} (/decline to decline)`,
    answer: (line) => {
      if (line === '/decline') {
        onAnswer({ answer: 'deny', reason: 'the person declined' });
        return true;
      }
      if (form.take(line) !== undefined) return false;
      const { content } = form;
      if (content === undefined) ask(fieldQuestion(form, { onAnswer, onStop }, ask));
      else onAnswer({ answer: 'once', content });
      return true;
    },
    leave: onStop,
  };
}

function answerOf(line: string): GivenAnswer | undefined {
  const [, word = '', reason = ''] = /^(\w+)[,.:]?\s*(.*)$/.exec(line) ?? [];
  if (/^(?:y|yes)$/i.test(word)) return { answer: 'once' };
  if (/^(?:a|always)$/i.test(word)) return { answer: 'always' };
  if (!/^(?:n|no)$/i.test(word)) return undefined;
  return reason === '' ? { answer: 'deny' } : { answer: 'deny', reason };
}
