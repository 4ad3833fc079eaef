// A request that may fail; Refused.svelte shows the error.
export class Attempt {
  error = $state.raw<unknown>(null);

  /** Returns whether it succeeded. */
  async do(work: () => Promise<unknown>): Promise<boolean> {
    try {
      this.error = null;
      await work();
      return true;
    } catch (error) {
      this.error = error;
      return false;
    }
  }
}
