import * as z from 'zod'
import { Urgency } from '#functions/ai/sessions/schemas.ts'
import { Id, idParams, Name, Secret, Time } from '#http/fields.ts'
import { jsonPointerPattern } from '#rules/alerts/json-pointer.ts'
import { alertFormats } from '#rules/alerts/parse-alerts.ts'
import { refuseRepeats } from '#rules/text/duplicates.ts'

export const SourceId = idParams('source_id', 'alert source')

export const AlertFormat = z.enum(alertFormats).meta({ id: 'AlertFormat' })

const Pointer = z.string().max(500).regex(jsonPointerPattern)
export const AlertMapping = z
  .strictObject({
    alerts: Pointer.optional()
      .describe('The list of alerts. Left out, the body is one alert or a list of them.')
      .meta({ example: '/alerts' }),
    title: Pointer.describe('The title. An alert without one is refused.').meta({ example: '/title' }),
    text: Pointer.optional().describe('The text.').meta({ example: '/message' }),
    fingerprint: Pointer.optional()
      .describe('What makes two reports the same alert. Left out, its title, client and machine do.')
      .meta({ example: '/id' }),
    status: Pointer.optional()
      .describe(
        'Whether it fires or is over. Words such as `resolved`, `ok`, `up` and `0` mean that it is over.',
      )
      .meta({ example: '/status' }),
    severity: Pointer.optional().describe('The severity.').meta({ example: '/severity' }),
    client: Pointer.optional().describe('The client.').meta({ example: '/site/client' }),
    machine: Pointer.optional().describe('The machine.').meta({ example: '/host' }),
    occurrence: Pointer.optional()
      .describe(
        'What differs each time it fires, such as its start. The same value again is the same report.',
      )
      .meta({ example: '/started_at' }),
  })
  .meta({ id: 'AlertMapping' })

const fields = {
  name: Name.describe('Name of the source.').meta({ example: 'Prometheus of the data centre' }),
  is_enabled: z.boolean().describe('False switches its address off.').meta({ example: true }),
  severities: z
    .array(z.string().trim().min(1).max(100))
    .max(20)
    .superRefine(refuseRepeats())
    .describe('Only alerts of these severities open cases; empty for all. Cases do not count.')
    .meta({ example: ['critical'] }),
  tree_id: Id.nullable().describe(
    'A published flow that I can see: an alert prepares a session of it. Null opens an AI session.',
  ),
  user_id: Id.describe('The user of the cases, whose team they belong to.'),
  schedule_id: Id.nullable().describe(
    'An on-call schedule: a case is that of whoever is on call when the alert comes. While nobody is, or they cannot see the flow, it is that of `user_id`.',
  ),
  urgency: Urgency.describe(
    'How soon its cases are told to their user: `high` and `critical` at once and by every channel of theirs, also in quiet hours.',
  ),
  max_cases_per_hour: z
    .int()
    .min(1)
    .max(60)
    .describe('How many cases it may open per hour. All sources of an account together open at most 60.')
    .meta({ example: 20 }),
}
const Mapping = AlertMapping.nullable().describe(
  'Where a JSON body has the fields of an alert, by JSON pointers (RFC 6901). Only for the format `json`.',
)
const Format = AlertFormat.describe(
  'What the source sends: the webhook of the Prometheus Alertmanager; Zabbix with the parameters `event_name`, `event_value`, `event_severity`, `event_id`, `trigger_id`, `host_name`, `host_group` and `alert_message`; or any JSON.',
)

const source = {
  id: Id,
  format: Format,
  mapping: Mapping,
  ...fields,
  severities: z
    .array(z.string())
    .describe('Only alerts of these severities open cases; empty for all.')
    .meta({ example: ['critical'] }),
  last_received_at: Time.nullable().describe('When it last sent something.'),
  last_error: z
    .string()
    .nullable()
    .describe('Why its last call, or an alert of it, was refused; null when all were read.'),
  created_at: Time,
  updated_at: Time.describe('When an admin last changed it.'),
}
export const Source = z.strictObject(source).meta({ id: 'AlertSource' })
export type Source = z.infer<typeof Source>

export const SourceWithAddress = z
  .strictObject({
    ...source,
    url: Secret.describe('The address to which alerts are sent. It is returned only once.').meta({
      example: 'https://api.example.com/api/v1/alerts/Zk3nPq8vT1xYw5LrB7cDf9GhJ2kMnQ4sUvXyZaBcDeF',
    }),
  })
  .meta({ id: 'AlertSourceWithAddress' })
export type SourceWithAddress = z.infer<typeof SourceWithAddress>

export const SourceCreate = z
  .strictObject({
    ...fields,
    format: Format,
    mapping: Mapping.default(null),
    is_enabled: fields.is_enabled.default(true),
    severities: fields.severities.default([]).meta({ example: ['critical'] }),
    tree_id: fields.tree_id.default(null),
    user_id: fields.user_id.optional().describe('The user of the cases; I, if left out.'),
    schedule_id: fields.schedule_id.default(null),
    urgency: fields.urgency.default('high'),
    max_cases_per_hour: fields.max_cases_per_hour.default(20).meta({ example: 20 }),
  })
  .meta({ id: 'AlertSourceCreate' })
export type SourceCreate = z.infer<typeof SourceCreate>

export const SourceUpdate = z
  .strictObject({ ...fields, mapping: AlertMapping.describe('Only for the format `json`.') })
  .partial()
  .meta({ id: 'AlertSourceUpdate' })
export type SourceUpdate = z.infer<typeof SourceUpdate>
