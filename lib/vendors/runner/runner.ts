import type { Language } from '#rules/scripts/schema.ts'
import { toNameKey } from '#rules/text/fold.ts'

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

/** Return whether two names of a client are the same, in any spelling. */
export const isSameClient = (name: string, other: string): boolean => toNameKey(name) === toNameKey(other)

/** An agent's id of Tactical RMM has at least 21 characters and no slash. */
export const agentIdPattern = /^[A-Za-z0-9_-]{21,100}$/

/** A script that is stored at the runner under a reference of ours. */
export interface StoredScript {
  reference: string
  title: string
  language: Language
  script: string
}

/** How a script ended. */
export interface RunResult {
  exitCode: number | null
  /** What it printed, as the runner reports it. */
  output: string
  seconds: number
}

/** Calls to the runner of one account. Each may throw a RunnerError. */
export interface RunnerPort {
  checkCredentials(): Promise<void>
  /** List the machines of a client, by its name in any case, or those of every client. */
  listAgents(client: string | undefined): Promise<Agent[]>
  /** Find a machine with its client. Throw `missing` for an id that the runner does not have. */
  findAgent(agentId: string): Promise<Pick<Agent, 'name' | 'client'>>
  /** Ask a machine whether it is reachable now. */
  isOnline(agentId: string): Promise<boolean>
  /** Return why the runner would not run exactly this text; null if it would. */
  findScriptProblem(script: string): string | null
  /**
   * Store a script unless it is stored, and return its id. Throw `refused` when another text is stored under
   * the reference.
   */
  storeScript(script: StoredScript): Promise<string>
  /** Start a stored script. After `down` it may have started. */
  start(agentId: string, scriptId: string, timeLimitSeconds: number): Promise<void>
  /** Find the run of the script with this reference. */
  findRun(reference: string): Promise<{ isStarted: boolean; result: RunResult | null }>
  /** Delete the script, which may contain passwords. */
  removeScript(reference: string): Promise<void>
}

export type OpenRunner = (connection: RunnerConnection) => RunnerPort

/**
 * A call failed. `auth`: the key was refused. `missing`: no such record. `refused`: the runner has answered
 * that it did nothing. `down`: there is no usable answer, so it may have done it. The message is a sentence
 * for users.
 */
export class RunnerError extends Error {
  readonly kind: 'auth' | 'missing' | 'refused' | 'down'
  readonly status: number | null
  /** How long the runner asks to wait; only if it limits our calls. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    kind: RunnerError['kind'],
    message: string,
    status: number | null = null,
    retryAfterSeconds?: number,
  ) {
    super(message)
    this.name = 'RunnerError'
    this.kind = kind
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}
