import { LonghaulError } from '@longhaul/protocol';
import type { z } from 'zod';

const MAX_ISSUES = 5;
const MAX_ISSUE_CHARS = 300;

/** Returns an error that lists the path of each invalid value and what was expected there, up to 5 of them. */
export function invalidRequest(place: string, { issues }: z.ZodError): LonghaulError {
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => {
    const path = [place, ...issue.path.map(String)].join('.').slice(0, MAX_ISSUE_CHARS);
    return `${path}: ${issue.message.slice(0, MAX_ISSUE_CHARS)}`;
  });
  return new LonghaulError('invalid_request', `The request is invalid. ${lines.join('; ')}`);
}
