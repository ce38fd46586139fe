import type { OutboundGuard } from '#vendors/net/guard.ts'
import type { ArticlesPort } from './articles.ts'
import { type ArticlesConnection, createArticlesHttp } from './http.ts'
import { createHudu } from './hudu.ts'
import { createItGlue } from './it-glue.ts'

/** Open a connection for one slice. Never log it. */
export function openArticles(connection: ArticlesConnection, guard: OutboundGuard): ArticlesPort {
  switch (connection.vendor) {
    case 'hudu':
      return createHudu(createArticlesHttp(connection, 'application/json', guard))
    case 'it_glue':
      return createItGlue(createArticlesHttp(connection, 'application/vnd.api+json', guard))
  }
}
