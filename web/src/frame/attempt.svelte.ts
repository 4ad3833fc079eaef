// Doing what the server may refuse; what it refused is kept, for No.svelte to show.
export class Attempt {
  no = $state.raw<unknown>(null);

  /** Whether it went well. */
  async do(work: () => Promise<unknown>): Promise<boolean> {
    try {
      this.no = null;
      await work();
      return true;
    } catch (error) {
      this.no = error;
      return false;
    }
  }
}
