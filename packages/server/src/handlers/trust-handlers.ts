import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

export function trustHandlers({
  trust,
  skillsOf,
  workspaces,
}: HandlerContext): Pick<RouteHandlers, 'getTrust' | 'answerTrust' | 'listSkills'> {
  return {
    async getTrust({ query }) {
      return await trust.get(await workspaces.resolve(query.workspace));
    },

    async listSkills({ query }) {
      return await skillsOf(await workspaces.resolve(query.workspace));
    },

    async answerTrust({ body: { workspace, ...answer } }) {
      const folder = await workspaces.resolve(workspace);
      // The project's file can be above the folder. Trust in a folder that is not allowed cannot be given here.
      const shown = await trust.get(folder);
      await workspaces.resolve(shown.workspace);
      return await trust.answer(folder, answer);
    },
  };
}
