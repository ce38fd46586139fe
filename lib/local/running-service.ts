import type { Services } from '#http/app.ts'

/** The service under one of its entries. */
export interface RunningService {
  /** Answer a request without HTTP. Only Node can do this. */
  fetch?(request: Request): Promise<Response>
  /** What the app uses, on Node. */
  services?: Services
  /** Wait for what earlier requests have left to do, on Node. */
  finishEffects?(): Promise<void>
  /** Run the periodic work, as the platform does each minute. */
  runCron(): Promise<void>
  /** Count the open escalation streams of an account. */
  countSubscribers(accountId: string): Promise<number>
  /**
   * Remove the account's hub from memory, as the runtime does after 10 idle seconds. Its sockets stay open.
   * Only the Worker can do this.
   */
  hibernateHub?(accountId: string): Promise<void>
  dispose(): Promise<void>
}
