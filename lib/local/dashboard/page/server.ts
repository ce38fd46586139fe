import type { DashboardState, TraceView } from '#local/dashboard/state.ts'
import type { Item } from './columns.ts'
import type { ListSection } from './place.ts'

/** Send a request to the dashboard's server. Throw its answer as text if the request is refused. */
export async function send<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = body === undefined ? undefined : { 'content-type': 'application/json' }
  const response = await fetch(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

export const readState = () => send<DashboardState>('GET', '/desk/state')
export const readTrace = (id: string) => send<TraceView>('GET', `/desk/traces/${id}`)
export const readItems = <S extends ListSection>(section: S) => send<Item<S>[]>('GET', `/desk/${section}`)
