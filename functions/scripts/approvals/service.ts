import type { WriteContext } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as approvals from '../../sessions/approvals/service.ts'
import * as scripts from '../scripts/service.ts'
import type { ScriptApprovalRequest } from './schemas.ts'

/** Request an approval of a template's script, rendered with these values for a session. */
export async function request(ctx: WriteContext, templateId: string, { comment, ...input }: ScriptApprovalRequest) {
  const { approval } = await scripts.prepareRun(ctx, templateId, input)
  if (!approval) throw new Problem('wrong_state', 'A script of low risk needs no approval')
  return approvals.request(ctx, approval.session, approval.subject, comment)
}
