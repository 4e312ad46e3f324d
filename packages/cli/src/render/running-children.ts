import type { LonghaulEvent, SubtaskFacts } from '@longhaul/protocol';
import { fitLine, formatTokens, plural, printable, widthOf } from './format.ts';

interface RunningChild {
  callId: string;
  facts: SubtaskFacts;
  /** The beginning of its task. Undefined if the child was started by an earlier run. */
  task: string | undefined;
}

const MAX_LINES = 6;

/** The child sessions that work now, with a line for each. */
export class RunningChildren {
  readonly #children = new Map<string, RunningChild>();

  update(event: LonghaulEvent): void {
    switch (event.type) {
      case 'subtask:started': {
        const { childId, callId, agent, title, isBackground = false } = event;
        const facts: SubtaskFacts = { sessionId: childId, agent, state: 'running', isBackground };
        this.#children.set(childId, { callId, facts, task: title });
        return;
      }
      case 'subtask:progress': {
        const { callId, facts } = event;
        this.#children.set(facts.sessionId, {
          callId,
          facts,
          task: this.#children.get(facts.sessionId)?.task,
        });
        return;
      }
      case 'subtask:finished':
        this.#children.delete(event.facts.sessionId);
        return;
      case 'run:finished':
        this.#children.clear();
    }
  }

  /** Whether this call waits for a child. */
  isWaitedForBy(callId: string): boolean {
    return this.#listed('waited for').some((child) => child.callId === callId);
  }

  /** A line for each child: those that calls wait for, or those in the background. */
  lines(which: 'waited for' | 'background', columns: number): string[] {
    const listed = this.#listed(which);
    const shown = listed.slice(0, MAX_LINES).map((child) => childLine(child, columns));
    const more = listed.length - shown.length;
    return more === 0 ? shown : [...shown, `+${plural(more, 'more child', 'more children')}`];
  }

  #listed(which: 'waited for' | 'background'): RunningChild[] {
    const isWanted = which === 'background';
    return [...this.#children.values()].filter(({ facts }) => (facts.isBackground ?? false) === isWanted);
  }
}

/** `explore Find the parser · grep parse · 3 steps · 4.2k tokens · 21 %` */
function childLine({ facts, task }: RunningChild, columns: number): string {
  const now = facts.state === 'waiting' ? 'waiting' : facts.title;
  const figures = ` · ${childFigures(facts)}`;
  const room = Math.max(LEAST_TASK, columns - widthOf(figures));
  const what = [facts.agent, ...(task === undefined ? [] : [task])].join(' ');
  // What the child does now is more than half of the line only if its task leaves room.
  const doing = now === undefined ? '' : ` · ${fitLine(printable(now), Math.max(LEAST_TASK, room / 2))}`;
  const left = fitLine(printable(what), Math.max(LEAST_TASK, room - widthOf(doing))) + doing;
  return fitLine(left + figures, columns);
}

const LEAST_TASK = 8;

/** `3 steps · 4.2k tokens · 21 %` */
export function childFigures({
  steps = 0,
  tokens = 0,
  contextPercent,
}: Pick<SubtaskFacts, 'steps' | 'tokens' | 'contextPercent'>): string {
  const percent = contextPercent === undefined ? '' : ` · ${contextPercent} %`;
  return `${plural(steps, 'step')} · ${formatTokens(tokens)} tokens${percent}`;
}
