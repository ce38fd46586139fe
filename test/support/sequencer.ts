import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * A sequencer that starts the contract tests first. Without timings of an earlier run, vitest runs larger files first, but the contract
 * test files are short and take longest.
 */
export class ContractTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isContractTest = ({ moduleId }: TestSpecification) => moduleId.includes('/test/contract/')
    return [...sorted.filter(isContractTest), ...sorted.filter((file) => !isContractTest(file))]
  }
}
