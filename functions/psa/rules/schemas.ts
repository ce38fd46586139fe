import * as z from 'zod'
import { Id, idParams, Name, Time } from '#http/fields.ts'
import { refuseRepeats } from '#rules/text/duplicates.ts'
import { ticketIdPattern } from '#vendors/psa/psa.ts'
import { ticketFields } from '#vendors/psa/rules.ts'

export const RuleId = idParams('rule_id', 'rule')

const TicketField = z.enum(ticketFields).meta({ id: 'PsaTicketField' })
const fields = {
  name: Name.describe('Name of the rule.').meta({ example: 'VPN tickets' }),
  position: z
    .int()
    .min(0)
    .max(10_000)
    .describe('Rules are checked in this order; the first that matches prepares a session.')
    .meta({ example: 10 }),
  is_enabled: z.boolean().describe('False switches the rule off.').meta({ example: false }),
  board_id: z
    .string()
    .regex(ticketIdPattern)
    .nullable()
    .describe('Only tickets of this board; null for every board.'),
  ticket_type: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .nullable()
    .describe('Only tickets of this type; null for every type.'),
  keywords: z
    .array(z.string().trim().min(1).max(100))
    .max(20)
    .superRefine(refuseRepeats())
    .describe(
      'Only tickets with one of these words or phrases in the summary or description. Plain words without patterns.',
    )
    .meta({ example: ['vpn', 'remote access'] }),
  tree_id: Id.describe('A published flow that I can see.'),
  variables: z
    .record(z.string().min(1).max(100), TicketField)
    .refine((variables) => Object.keys(variables).length <= 50, 'must have at most 50 variables')
    .describe('The field of the ticket for each variable of the flow.'),
  user_id: Id.describe('The user of the prepared sessions.'),
}

export const Rule = z
  .strictObject({
    id: Id,
    ...fields,
    variables: z
      .record(z.string(), TicketField)
      .describe('The field of the ticket for each variable of the flow.')
      .meta({ example: { user_name: 'contact' } }),
    last_matched_at: Time.nullable().describe('When it last prepared a session.'),
    last_error: z
      .string()
      .nullable()
      .describe('Why the last matching ticket got no session; null when it got one.'),
    created_at: Time,
    updated_at: Time.describe('When an admin last changed it.'),
  })
  .meta({ id: 'PsaRule' })
export type Rule = z.infer<typeof Rule>

export const RuleCreate = z
  .strictObject({
    ...fields,
    position: fields.position.default(0).meta({ example: 10 }),
    is_enabled: fields.is_enabled.default(true),
    board_id: fields.board_id.default(null),
    ticket_type: fields.ticket_type.default(null),
    keywords: fields.keywords.default([]).meta({ example: ['vpn', 'remote access'] }),
    variables: fields.variables.default({}).meta({ example: { user_name: 'contact' } }),
    user_id: fields.user_id.optional().describe('The user of the prepared sessions; I, if left out.'),
  })
  .meta({ id: 'PsaRuleCreate' })
export type RuleCreate = z.infer<typeof RuleCreate>

export const RuleUpdate = z.strictObject(fields).partial().meta({ id: 'PsaRuleUpdate' })
export type RuleUpdate = z.infer<typeof RuleUpdate>
