"""Programs in each language with the count of each line that is marked: `//@ expression` or `#@ expression` in `n`, the
one number of the input, and `p`, for each n a prime; the marks of a line that runs are all there.
"""

PROGRAMS = {
    "cpp": """
        #include <bits/stdc++.h>
        using namespace std;
        #define rep(i, n) for (int i = 0; i < (n); i++)
        template <class T> T times(T x) {
            T sum = 0;
            for (T k = 0; k < x; k = k + 1)
                sum = sum + x; //@ 2 * n
            return sum; //@ 2
        }
        int fibonacci(int k) {
            if (k < 2)
                return k; //@ 89
            return fibonacci(k - 1) + fibonacci(k - 2); //@ 88
        }
        int main() {
            int n; //@ 1
            cin >> n; //@ 1
            vector<int> values(n, 1); //@ 1
            long long pairs = 0;
            for (int i = 0; i < n; i++) //@ n + 1
                for (int j = i + 1; j < n; j++)
                    pairs += values[j]; //@ n * (n - 1) // 2
            rep(i, n) {
                if (i == 5) break;
                pairs++; //@ 5
            }
            auto twice = [&](int x) {
                return 2 * x; //@ n
            };
            rep(i, n) pairs += twice(i);
            pairs += times(n) + times((long long)n); //@ 1
            cout << pairs << ' ' << fibonacci(10) << endl; //@ 1
            if (pairs > 1)
                exit(0); //@ 1
        }""",
    "rust": """
        fn fibonacci(k: u32) -> u32 {
            if k < 2 {
                return k; //@ 89
            }
            fibonacci(k - 1) + fibonacci(k - 2) //@ 88
        }
        fn total<T: Copy + Into<u64>>(values: &[T]) -> u64 {
            let mut sum = 0; //@ 2
            for &value in values {
                sum += value.into(); //@ n + 2
            }
            sum //@ 2
        }
        fn main() {
            let mut text = String::new(); //@ 1
            std::io::stdin().read_line(&mut text).unwrap(); //@ 1
            let n: usize = text.trim().parse().unwrap(); //@ 1
            let mut pairs = 0u64; //@ 1
            for i in 0..n {
                for j in i + 1..n {
                    pairs += (i ^ j) as u64; //@ n * (n - 1) // 2
                }
            }
            for i in 0..n {
                if i == 5 {
                    break; //@ 1
                }
                pairs += 1; //@ 5
            }
            let values: Vec<u32> = (0..n as u32)
                .map(|x| x * 2) //@ n
                .collect();
            pairs += total(&values) + total(&[1u8, 2]); //@ 1
            println!("{} {}", pairs, fibonacci(10)); //@ 1
        }""",
    "python": """
        import sys
        def fibonacci(k):
            if k < 2:
                return k #@ 89
            return fibonacci(k - 1) + fibonacci(k - 2) #@ 88
        def odd(n):
            '''The odd numbers below n.'''
            for i in range(n):
                if i % 2 == 0:
                    continue #@ (n + 1) // 2
                yield i #@ n // 2
        n = int(input()) #@ 1
        pairs = 0 #@ 1
        for i in range(n): #@ n
            for j in range(i):
                pairs += 1 #@ n * (n - 1) // 2
        for i in range(n):
            if i == 5: break
            pairs += 1 #@ 5
        values = [2 * x for x in range(n)] #@ n
        some = [x for x in range(n) if x > 3] #@ n
        ranked = sorted(values, key=lambda x: -x) #@ n
        total = sum(odd(n)) #@ 1
        left = n #@ 1
        while left > 0: left -= 1 #@ n + 1
        class Pair: #@ 1
            def first(self): return 1 #@ n
        for i in range(n): pairs += Pair().first() #@ n
        match n: #@ 1
            case 0: pairs = 0
            case _: pairs += 1 #@ 1
        print(pairs, total, fibonacci(10), len(some)) #@ 1
        sys.exit(0) #@ 1
        """,
    "python with an exception in a call": """
        def risky(k):
            if k % 3 == 0:
                raise ValueError #@ (n + 2) // 3
            return k #@ n - (n + 2) // 3
        n = int(input()) #@ 1
        total = 0 #@ 1
        for k in range(n):
            try:
                value = risky(k) #@ n
                total += value #@ n - (n + 2) // 3
            except ValueError:
                total -= 1 #@ (n + 2) // 3
        print(total) #@ 1
        """,
}
