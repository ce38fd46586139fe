import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Where nothing has run yet, a file's size is taken for its time: those that ask every operation are short and take longest. */
export class ContractFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const asksAll = ({ moduleId }: TestSpecification) => moduleId.includes('/test/contract/')
    return [...sorted.filter(asksAll), ...sorted.filter((file) => !asksAll(file))]
  }
}
