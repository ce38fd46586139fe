import * as z from 'zod'
import { Id, Time } from '#http/fields.ts'

export const searchTypes = [
  'flow',
  'step',
  'library_step',
  'script',
  'session',
  'ai_session',
  'article',
  'diagram',
] as const
export type SearchType = (typeof searchTypes)[number]
const typeList = new RegExp(`^(${searchTypes.join('|')})(,(${searchTypes.join('|')})){0,7}$`)

export const SearchQuery = z.strictObject({
  q: z.string().trim().min(1).max(200).describe('The words to look for. Those after the tenth are ignored.'),
  types: z
    .string()
    .regex(typeList, `must be types, separated by commas: ${searchTypes.join(', ')}`)
    .transform((text) => [...new Set(text.split(','))] as SearchType[])
    .optional()
    .describe(`Only these types, separated by commas: ${searchTypes.join(', ')}.`),
  limit: z.coerce.number().int().min(1).max(50).default(20).describe('The maximum number of results.'),
})
export type SearchQuery = z.infer<typeof SearchQuery>

const Mark = z.strictObject({
  start: z
    .int()
    .min(0)
    .describe('Index of the first character, in UTF-16 code units as in JavaScript.')
    .meta({ example: 0 }),
  end: z.int().min(1).describe('Index after the last character.').meta({ example: 7 }),
})
const MarkedText = z
  .strictObject({
    text: z.string().describe('Plain text, in one line.').meta({ example: 'Printer offline' }),
    marks: z.array(Mark).describe('Where words of the search occur.'),
  })
  .meta({ id: 'MarkedText' })

export const SearchResult = z
  .strictObject({
    type: z.enum(searchTypes).meta({ id: 'SearchType' }).describe('What was found.'),
    id: Id.describe('Id of what was found. A step has the id of its flow.'),
    step_id: z.string().nullable().describe('The step in its flow. Null for other types.'),
    title: MarkedText.describe('Its name. For a session, the name of its flow.'),
    snippet: MarkedText.describe('The part of its text around the first word. Empty without a text.'),
    score: z
      .number()
      .describe('Higher is better. Comparable within one answer only.')
      .meta({ example: 0.42 }),
    tree_id: Id.nullable().describe('The flow that it is, belongs to, ran or became.'),
    tree_name: z.string().nullable().describe('The name of that flow, of a step or a session.'),
    ticket_number: z.string().nullable().describe('The ticket of a session or AI session.'),
    client_name: z.string().nullable().describe('The client of a session, AI session or diagram.'),
    updated_at: Time.describe(
      'When it last changed. For a session, when it was completed, started or created.',
    ),
  })
  .meta({ id: 'SearchResult' })
export type SearchResult = z.infer<typeof SearchResult>

export const SearchResults = z
  .strictObject({ results: z.array(SearchResult).describe('The best results first.') })
  .meta({ id: 'SearchResults' })
