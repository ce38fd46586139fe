import type { BackgroundTask, CallOptions, FollowOptions } from './call-types.ts'
import type { OperationId, Operations } from './types.ts'

/** Items of all pages. Awaited, it sends one request and returns the items of the first page. */
export interface PagedItems<Item> extends PromiseLike<Item[]>, AsyncIterable<Item> {
  /**
   * Yield the items page by page, for a list with a button for more. Each page starts after the last item of
   * the one before.
   */
  pages(): AsyncGenerator<Item[], void, undefined>
}

type Input<Id extends OperationId> = Operations[Id]['input']
type Output<Id extends OperationId> = Operations[Id]['output']
type IsOptional<I> = Record<never, never> extends I ? true : false
type Arguments<Id extends OperationId, Options = CallOptions> =
  IsOptional<Input<Id>> extends true
    ? [input?: Input<Id>, options?: Options]
    : [input: Input<Id>, options?: Options]

export type Method<Id extends OperationId> = (...args: Arguments<Id>) => Promise<Output<Id>>

/** With `background`, the service answers at once and completes the work as a task. */
export interface BackgroundMethod<Id extends OperationId> {
  (input: Input<Id>, options: CallOptions & { background: true }): Promise<BackgroundTask>
  (...args: Arguments<Id, CallOptions & { background?: false | undefined }>): Promise<Output<Id>>
}

type ItemOf<Id extends OperationId> = Output<Id> extends readonly (infer Item)[] ? Item : never

/** With `fields`, the items have only these fields. */
export interface PagedMethod<Id extends OperationId> {
  (...args: Arguments<Id>): PagedItems<ItemOf<Id>>
  <Field extends keyof ItemOf<Id>>(
    input: Input<Id> & { fields: readonly Field[] },
    options?: CallOptions,
  ): PagedItems<Pick<ItemOf<Id>, Field>>
}

/** With `fields`, the answer has only these fields. */
export interface SelectingMethod<Id extends OperationId> {
  (...args: Arguments<Id>): Promise<Output<Id>>
  <Field extends keyof Output<Id>>(
    input: Input<Id>,
    options: CallOptions & { fields: readonly Field[] },
  ): Promise<Pick<Output<Id>, Field>>
}

type Event<Id extends OperationId> = Operations[Id] extends { event: infer E } ? E : never

export type EventMethod<Id extends OperationId> = (
  ...args: Arguments<Id>
) => AsyncGenerator<Event<Id>, void, undefined>

/** A stream that an EventSource can open too. */
export interface FollowMethod<Id extends OperationId> {
  (...args: Arguments<Id, FollowOptions>): AsyncGenerator<Event<Id>, void, undefined>
  /** Create a ticket, and the URL with which one EventSource opens the stream within 60 seconds. */
  createUrl(...args: Arguments<Id>): Promise<string>
}

/** `stream` sends the same request and yields the parts of the answer as they are written. */
export interface StreamableMethod<Id extends OperationId> extends BackgroundMethod<Id> {
  stream: EventMethod<Id>
}
