import type { Sandbox } from '../ports/index.ts';
import type { ApprovalService } from '../session/approval-service.ts';
import type { SessionWriter } from '../session/session-writer.ts';

/** What an approver of one run works with. */
export interface ApproverContext {
  service: ApprovalService;
  writer: SessionWriter;
  sandbox: Pick<Sandbox, 'kind' | 'workspacePath' | 'files'>;
  /** Aborts when the run must end after its current step. An open request then stays open for the run that resumes. */
  drain?: AbortSignal;
}
