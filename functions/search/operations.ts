import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as search from './service.ts'

export const searchOperations = [
  operation({
    id: 'search.find',
    route: 'GET /search',
    summary: 'Search everything in my account',
    description:
      'Finds flows and their published steps, library steps, scripts, sessions, AI sessions, articles and diagrams that I may see, best first. A program finds only the types that its scopes let it read. All words must occur; the last one may be the start of a word, for a search as you type. Without a result, words that are spelled similarly count. Ticket numbers, host names, addresses and error codes are found whole and by their start.',
    access: 'user',
    limit: 'read',
    query: schemas.SearchQuery,
    returns: schemas.SearchResults,
    handle: ({ ctx, query }) => search.find(ctx, query),
  }),
]
