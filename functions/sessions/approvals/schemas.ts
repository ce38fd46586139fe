import * as z from 'zod'
import { Id, idParams, Time } from '#http/fields.ts'
import { RiskReasons } from '#rules/scripts/schema.ts'

export const ApprovalCaseId = idParams('session_id', 'session or AI session')
export const ApprovalId = ApprovalCaseId.extend(idParams('approval_id', 'approval').shape)

const Comment = z.string().trim().min(1).max(2000)

/** The comment of a request for an approval. */
export const RequestComment = Comment.optional()
  .describe('What the approvers should know.')
  .meta({ example: 'The client agreed by phone.' })

const fields = {
  id: Id,
  session_id: Id.describe('The session that waits, or the AI session.'),
  case_kind: z
    .enum(['session', 'ai_session'])
    .meta({ id: 'ApprovalCaseKind' })
    .describe('What `session_id` names.'),
  kind: z
    .enum(['step', 'script'])
    .meta({ id: 'ApprovalKind' })
    .describe('`step`: the answer of a step. `script`: the rendering of a script.'),
  step_id: z.string().nullable().describe('The current step of the session at the time of the request.'),
  title: z
    .string()
    .describe('The title of the step or the name of the script.')
    .meta({ example: 'Restart srv-dc-01' }),
  script_template_id: Id.nullable().describe('The script template; null for a step.'),
  risk: z
    .enum(['medium', 'high'])
    .meta({ id: 'ApprovedScriptRisk' })
    .nullable()
    .describe('The risk of the script; null for a step.'),
  agent_id: z
    .string()
    .nullable()
    .describe(
      'Id of the machine at the runner, on which the script will run; null for a step, and for the text of a script.',
    )
    .meta({ example: 'hYqWbTzKpLxRnVcMdFgJsAoEuIiQwZtBkDyNvXrC' }),
  target: z.string().nullable().describe('Host name of that machine.').meta({ example: 'SRV-PRINT-01' }),
  client_name: z
    .string()
    .nullable()
    .describe('Name of its client at the runner.')
    .meta({ example: 'Northwind' }),
  state: z
    .enum(['pending', 'approved', 'rejected', 'expired', 'voided', 'used'])
    .meta({ id: 'ApprovalState' })
    .describe(
      '`voided`: withdrawn, or the session moved on or ended, or whoever approved it runs it now. `expired`: nobody decided in time, or nobody is left who may. `used`: the step was answered, or the script was started.',
    ),
  comment: z
    .string()
    .nullable()
    .describe('Comment of the request.')
    .meta({ example: 'The client agreed by phone.' }),
  requested_by: Id.describe('The user who requested it.'),
  requested_by_name: z.string().nullable().describe('The name of that user.'),
  requested_at: Time,
  expires_at: Time.describe('When the request expires; once it is approved, when the approval expires.'),
  decided_by: Id.nullable().describe('The user who decided.'),
  decided_by_name: z.string().nullable().describe('The name of that user.'),
  decided_at: Time.nullable().describe('When it was decided.'),
  decision_comment: z.string().nullable().describe('Comment of the decision.'),
  may_decide: z.boolean().describe('Whether I may decide it now.'),
}

/** An approval in a list, without the text that is approved. */
export const ApprovalListItem = z.strictObject(fields).meta({ id: 'ApprovalListItem' })
export type ApprovalListItem = z.infer<typeof ApprovalListItem>

export const Approval = z
  .strictObject({
    ...fields,
    subject: z
      .string()
      .describe('The description of the step, or the rendered script. Secrets are replaced by `[secret]`.')
      .meta({ example: 'Users are signed out.' }),
    risk_reasons: RiskReasons,
  })
  .meta({ id: 'ApprovalResponse' })
export type Approval = z.infer<typeof Approval>

export const ApprovalRequest = z
  .strictObject({
    comment: RequestComment,
  })
  .prefault({})
  .meta({ id: 'ApprovalRequest' })
export type ApprovalRequest = z.infer<typeof ApprovalRequest>

export const ApprovalGrant = z
  .strictObject({
    comment: Comment.optional()
      .describe('Comment for the technician.')
      .meta({ example: 'After 18:00 only.' }),
  })
  .prefault({})
  .meta({ id: 'ApprovalGrant' })

export const ApprovalRejection = z
  .strictObject({
    comment: Comment.describe('Why, for the technician.').meta({
      example: 'Wait until the backup has finished.',
    }),
  })
  .meta({ id: 'ApprovalRejection' })
