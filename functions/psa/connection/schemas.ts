import * as z from 'zod'
import { ApiAddress, Id, Time } from '#http/fields.ts'
import { toAuthorisationServer } from '#vendors/psa/halopsa-address.ts'
import { providers, ticketIdPattern } from '#vendors/psa/psa.ts'

const ShortText = z.string().trim().min(1).max(200)
const Secret = z.string().min(1).max(1000)
export const Provider = z
  .enum(providers)
  .meta({ id: 'PsaProvider' })
  .describe('The ticketing system: ConnectWise Manage or HaloPSA.')

const roundingFields = {
  time_rounding_minutes: z
    .int()
    .min(1)
    .max(60)
    .describe('Time entries are rounded up to a multiple of this many minutes; 1 by default.')
    .meta({ example: 15 }),
  time_minimum_minutes: z
    .int()
    .min(0)
    .max(480)
    .describe('The shortest time entry, in minutes; 0 by default.')
    .meta({ example: 0 }),
}

export const Board = z
  .strictObject({
    id: z.string().describe('Id in the ticketing system.').meta({ example: '1' }),
    name: z.string().describe('Name of the board.').meta({ example: 'Service Desk' }),
  })
  .meta({ id: 'PsaBoard' })

export const Status = z
  .strictObject({
    id: z.string().describe('Id in the ticketing system.').meta({ example: '12' }),
    name: z.string().describe('Name of the status.').meta({ example: 'In Progress' }),
    is_closed: z
      .boolean()
      .nullable()
      .describe('Whether it closes a ticket; null in HaloPSA, which does not say.'),
  })
  .meta({ id: 'PsaStatus' })

const RecordId = z.string().regex(ticketIdPattern)
const ResolvedStatus = z
  .strictObject({
    board_id: RecordId.describe('Id of a board.'),
    status_id: RecordId.describe('Id of a status of the board.').meta({ example: '13' }),
  })
  .meta({ id: 'PsaResolvedStatus' })
const ResolvedStatuses = z.array(ResolvedStatus)

export const PsaConnection = z
  .strictObject({
    id: Id,
    provider: Provider,
    base_url: z
      .string()
      .describe('Base URL of the ticketing system.')
      .meta({ example: 'https://api-na.myconnectwise.net' }),
    company_id: z.string().nullable().describe('ConnectWise: the company id that users enter to sign in.'),
    client_id: z
      .string()
      .describe('Id of the integration at the provider.')
      .meta({ example: '5f2c6a1e-3a51-4a0e-9c0b-8e1f1d6b7a10' }),
    tenant: z
      .string()
      .nullable()
      .describe('HaloPSA: name of the tenant; null if the base URL identifies the tenant.'),
    auth_url: z
      .string()
      .nullable()
      .describe('HaloPSA: its authorisation server; null if it is below the base URL.'),
    private_note_outcome: z
      .string()
      .nullable()
      .describe('HaloPSA: the action that adds internal notes; null for `Private Note`.'),
    public_note_outcome: z
      .string()
      .nullable()
      .describe('HaloPSA: the action that adds notes for the client; null for `Public Note`.'),
    is_active: z.boolean().describe('Whether the connection is used. An inactive connection counts as none.'),
    ...roundingFields,
    resolved_statuses: ResolvedStatuses.describe(
      'The status that the ticket of a resolved case gets, by board. Other boards keep theirs.',
    ),
    last_checked_at: Time.nullable().describe('When the credentials were last checked.'),
    last_check_error: z.string().nullable().describe('Why that check failed; null when it succeeded.'),
    created_at: Time,
    updated_at: Time.describe('When the connection was last changed.'),
  })
  .meta({ id: 'PsaConnectionResponse' })
export type PsaConnection = z.infer<typeof PsaConnection>

const Address = ApiAddress.transform((url) => url.replace(/(?<!\/)\/+$/, ''))

export const PsaConnectionUpdate = z
  .strictObject({
    provider: Provider.meta({ example: 'connectwise' }),
    base_url: Address.describe(
      'Base URL of the ticketing system: its site, or the path of its API. HaloPSA: it is stored as the site.',
    ).meta({ example: 'https://api-na.myconnectwise.net' }),
    company_id: ShortText.describe('ConnectWise: the company id that users enter to sign in.'),
    public_key: Secret.describe("ConnectWise: the API member's public key. It is never returned.").meta({
      example: 'Xk2aT9bQ',
    }),
    private_key: Secret.describe("ConnectWise: the API member's private key. It is never returned.").meta({
      example: 'p7LmVw3R',
    }),
    client_id: ShortText.describe('Id of the integration at the provider.').meta({
      example: '5f2c6a1e-3a51-4a0e-9c0b-8e1f1d6b7a10',
    }),
    client_secret: Secret.describe('HaloPSA: the secret of the API application. It is never returned.'),
    tenant: ShortText.nullable().describe(
      'HaloPSA: name of the tenant; null if the base URL identifies the tenant.',
    ),
    auth_url: Address.transform(toAuthorisationServer)
      .nullable()
      .describe(
        'HaloPSA: the address of its authorisation server, if it is not below the base URL. The secret is sent to it.',
      ),
    private_note_outcome: ShortText.nullable().describe(
      'HaloPSA: the name of the action that adds internal notes; `Private Note` by default.',
    ),
    public_note_outcome: ShortText.nullable().describe(
      'HaloPSA: the name of the action that adds notes for the client; `Public Note` by default.',
    ),
    is_active: z
      .boolean()
      .describe('Whether the connection is used. A new connection is active when left out.'),
    ...roundingFields,
    resolved_statuses: ResolvedStatuses.max(200)
      .refine(
        (items) => new Set(items.map(({ board_id }) => board_id)).size === items.length,
        'must name each board once',
      )
      .describe(
        'The status that the ticket of a resolved case gets, by board; empty for none. The ticketing system is asked whether it has them.',
      ),
  })
  .partial()
  .meta({ id: 'PsaConnectionUpdate' })
export type PsaConnectionUpdate = z.infer<typeof PsaConnectionUpdate>

export const TestResult = z
  .strictObject({
    success: z.boolean().describe('Whether the ticketing system accepted the credentials.'),
    message: z
      .string()
      .describe('The result, and what could not be read or is not listed, as sentences.')
      .meta({ example: 'The ticketing system accepted the credentials' }),
    boards: z
      .array(
        Board.extend({ statuses: z.array(Status).describe('Its statuses.') }).meta({
          id: 'PsaBoardWithStatuses',
        }),
      )
      .describe(
        'The first 50 boards with their statuses, to choose `resolved_statuses` from; empty if the test failed.',
      )
      .meta({
        example: [
          { id: '1', name: 'Service Desk', statuses: [{ id: '13', name: 'Closed', is_closed: true }] },
        ],
      }),
  })
  .meta({ id: 'PsaConnectionTest' })
