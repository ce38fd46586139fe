import * as z from 'zod'
import { TreeId } from '#functions/flows/trees/schemas.ts'
import { exampleIds, Id, idParams, Secret, Time } from '#http/fields.ts'
import { IntakeForm, TreeStructure, TreeType } from '#rules/flows/structure.ts'

export const ShareId = TreeId.extend(idParams('share_id', 'share').shape)
export const Token = z.object({ token: z.string().min(1).max(200).describe('The token in the share link.') })

export const ShareCreate = z
  .strictObject({
    expires_in_days: z.int().min(1).max(365).default(30).describe('Days until the link expires.'),
  })
  .prefault({})
  .meta({ id: 'ShareCreate', examples: [{ expires_in_days: 7 }] })

const exampleShare = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e11',
  created_by: exampleIds.user,
  created_by_name: 'Dana Reyes',
  expires_at: '2026-12-21T09:30:00.000Z',
  created_at: '2026-11-21T09:30:00.000Z',
}

export const NewShare = z
  .strictObject({
    id: Id,
    token: Secret.describe(
      'Opens the flow without sign-in. Only this response contains the token, because the service stores only its hash.',
    ),
    url: Secret.describe('The link to share.'),
    expires_at: Time,
  })
  .meta({
    id: 'ShareResponse',
    examples: [
      {
        id: exampleShare.id,
        token: 'b1FvLk3x',
        url: 'https://app.supportflow.example/shared/b1FvLk3x',
        expires_at: exampleShare.expires_at,
      },
    ],
  })

export const Share = z
  .strictObject({
    id: Id,
    created_by: Id.nullable().describe('The user who created the link.'),
    created_by_name: z.string().nullable().describe('The name of that user.'),
    expires_at: Time.describe('When the link expires.'),
    created_at: Time,
  })
  .meta({ id: 'ShareListItem', examples: [exampleShare] })
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
  .meta({
    id: 'SharedFlowResponse',
    examples: [
      {
        name: 'Printer offline',
        description: '',
        tree_type: 'troubleshooting',
        tree_structure: { id: 'cable', type: 'solution', title: 'Reseat the network cable', description: '' },
        intake_form: [],
        expires_at: exampleShare.expires_at,
      },
    ],
  })
export type SharedFlow = z.infer<typeof SharedFlow>
