import { TemplateId } from '#functions/scripts/scripts/schemas.ts'
import { Approval } from '#functions/sessions/approvals/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as approvals from './service.ts'

export const scriptApprovalOperations = [
  operation({
    id: 'scripts.approvals.request',
    route: 'POST /script-templates/{template_id}/approvals',
    alsoNeeds: ['sessions:write'],
    summary: 'Request approval of a rendered script',
    description:
      'For a template of medium risk (any engineer may approve) or high risk (admins). The approval covers the text of exactly this script, and no run of it on a machine: another value, a new version of the template or the next step of the session needs another one. Approvers see the script without passwords and secret answers. Returns 409 `wrong_state` for a template of low risk, and otherwise the same errors as a request for a step.',
    access: 'engineer',
    limit: 'write',
    strictLimit: 'mail',
    params: TemplateId,
    body: schemas.ScriptApprovalRequest,
    returns: Approval,
    errors: [
      'already_decided',
      'already_pending',
      'limit_reached',
      'no_approver',
      'step_not_current',
      'wrong_state',
    ],
    handle: ({ ctx, params, body }) => approvals.request(ctx, params.template_id, body),
  }),
]
