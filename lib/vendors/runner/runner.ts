/** Tools that run scripts on the machines of clients. */
export const runnerProviders = ['tactical_rmm'] as const
export type RunnerProvider = (typeof runnerProviders)[number]

/** A connection with its key. Never log it. */
export interface RunnerConnection {
  provider: RunnerProvider
  /** Without a slash at the end. */
  baseUrl: string
  apiKey: string
}

/** A machine on which the tool runs scripts. */
export interface Agent {
  id: string
  name: string
  client: string
  site: string
  platform: string
  is_online: boolean
  /** RFC 3339; null for a machine that was never seen. */
  last_seen: string | null
}

/** Calls to the runner of one account. Each may throw a RunnerError. */
export interface RunnerPort {
  checkCredentials(): Promise<void>
  /** List the machines of a client, by its name in any case, or those of every client. */
  listAgents(client: string | undefined): Promise<Agent[]>
}

export type OpenRunner = (connection: RunnerConnection) => RunnerPort

/**
 * A call failed. `auth`: the key was refused. `missing`: no such record. `refused`: the runner has answered that it did nothing. `down`: there is
 * no usable answer, so it may have done it. The message is a sentence for users.
 */
export class RunnerError extends Error {
  readonly kind: 'auth' | 'missing' | 'refused' | 'down'
  readonly status: number | null

  constructor(kind: RunnerError['kind'], message: string, status: number | null = null) {
    super(message)
    this.name = 'RunnerError'
    this.kind = kind
    this.status = status
  }
}
