import type { ProjectTrust } from '@longhaul/config';
import type { EventOf, EventPayload, TrustWant } from '@longhaul/protocol';

export type TrustAnswer = EventOf<'trust:answered'>['answer'];

/**
 * Returns the events of a run that starts: the settings that it ignores, and the answer of the person who was asked.
 */
export function trustEvents(
  project: ProjectTrust | undefined,
  answer?: TrustAnswer | undefined,
): EventPayload[] {
  if (project === undefined) return [];
  const { workspace } = project;
  const wants = shownWants(project);
  const ignored = wants.filter(({ isTrusted }) => !isTrusted);
  return [
    ...(ignored.length === 0 ? [] : [{ type: 'trust:requested', workspace, wants: ignored } as const]),
    ...(answer === undefined ? [] : [{ type: 'trust:answered', workspace, wants, answer } as const]),
  ];
}

/** Returns what a project's file wants, for clients. */
export function shownWants({ wants }: Pick<ProjectTrust, 'wants'>): TrustWant[] {
  return wants.map(({ id: _id, folder: _folder, ...want }) => want);
}
