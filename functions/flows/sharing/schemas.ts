import * as z from 'zod'
import { TreeId } from '#functions/flows/trees/schemas.ts'
import { Id, idParams, Secret, Time } from '#http/fields.ts'
import { IntakeForm, TreeStructure, TreeType } from '#rules/flows/structure.ts'

export const ShareId = TreeId.extend(idParams('share_id', 'share').shape)
export const Token = z.object({ token: z.string().min(1).max(200).describe('The token in the share link.') })

export const ShareCreate = z
  .strictObject({
    expires_in_days: z
      .int()
      .min(1)
      .max(365)
      .default(30)
      .describe('Days until the link expires.')
      .meta({ example: 7 }),
  })
  .prefault({})
  .meta({ id: 'ShareCreate' })

export const NewShare = z
  .strictObject({
    id: Id,
    token: Secret.describe(
      'Opens the flow without sign-in. Only this response contains the token, because the service stores only its hash.',
    ),
    url: Secret.describe('The link to share.').meta({
      example: 'https://app.supportflow.example/shared/b1FvLk3x',
    }),
    expires_at: Time,
  })
  .meta({ id: 'ShareResponse' })

export const Share = z
  .strictObject({
    id: Id,
    created_by: Id.nullable().describe('The user who created the link.'),
    created_by_name: z.string().nullable().describe('The name of that user.'),
    expires_at: Time.describe('When the link expires.'),
    created_at: Time,
  })
  .meta({ id: 'ShareListItem' })
export type Share = z.infer<typeof Share>

export const SharedFlow = z
  .strictObject({
    name: z.string().describe('Name of the flow.'),
    description: z.string().describe('Purpose of the flow.'),
    tree_type: TreeType,
    tree_structure: TreeStructure,
    intake_form: IntakeForm,
    expires_at: Time.describe('When the link expires.'),
  })
  .meta({ id: 'SharedFlowResponse' })
export type SharedFlow = z.infer<typeof SharedFlow>
