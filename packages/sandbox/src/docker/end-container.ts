import type { ProcessEnding, ProcessPlace } from '@longhaul/core';
import { outOfReach } from '../command/end-processes.ts';
import { connectEngine, isGone, LABELS, reasonOf, removeContainer } from './engine.ts';

/**
 * Ends a command by removing its container. The engine kills the container's first process, and the kernel then kills
 * all others at once. A process that wakes up later cannot start a command in it.
 */
export async function endContainer(place: ProcessPlace): Promise<ProcessEnding> {
  const engine = await connectEngine();
  if (!engine.ok) return { ended: 'unknown', reason: `${engine.reason} ${engine.remedy}` };
  const container = engine.docker.getContainer(place.container ?? '');
  try {
    const { Config, State } = await container.inspect();
    // The id was stored. It can only name a container of a session.
    if (Config.Labels[LABELS.session] === undefined)
      return { ended: 'unknown', reason: `${place.container} is not a container of a session` };
    await removeContainer(container);
    return { ended: State.Running ? 'killed' : 'gone' };
  } catch (error) {
    if (isGone(error)) return outOfReach(place) ?? { ended: 'gone' };
    return { ended: 'unknown', reason: `the Docker engine failed: ${reasonOf(error)}` };
  }
}
