// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ProjectVault} from "../../src/ProjectVault.sol";
import {VaultSummary} from "../../src/types/VaultTypes.sol";
import {ForgeTest} from "./Vm.sol";
import {VaultHandler} from "./VaultHandler.sol";

contract VaultInvariants is ForgeTest {
    VaultHandler private _handler;
    ProjectVault private _vault;

    function setUp() external {
        _handler = new VaultHandler();
        _vault = _handler.vault();
        _target(address(_handler));
    }

    /// @dev One run for all four: each of them costs as much as the calls before it.
    function invariant_Holds() external view {
        _booksAreThoseOfTheHandler();
        _reserveIsWhatEpochsHaveAClaimOn();
        _noEpochPaysMoreThanItsTotal();
        _everyoneHasWhatTheBooksSay();
    }

    /// @dev Never is more paid or set aside than was funded, and the tokens are there.
    function _booksAreThoseOfTheHandler() private view {
        VaultSummary memory books = _vault.summary();
        assert(books.totalFunded == _handler.funded());
        assert(books.totalPaid == _handler.paid());
        assert(books.reserved == _handler.reserved());
        assert(books.balance == _handler.funded() - _handler.withdrawn() - _handler.paid());
        assert(books.totalPaid + books.reserved + _handler.withdrawn() <= books.totalFunded);
        assert(_handler.token().balanceOf(address(_vault)) == books.balance + _handler.unbooked());
    }

    /// @dev And what tasks can count on is neither reserved nor announced to be taken out.
    function _reserveIsWhatEpochsHaveAClaimOn() private view {
        uint256 sum;
        for (uint256 i = 0; i < _handler.posts(); ++i) sum += _handler.claimAt(i);
        VaultSummary memory books = _vault.summary();
        assert(sum == books.reserved);
        uint256 claimed = sum + books.pendingWithdrawal;
        assert(_vault.freeBalance() == (books.balance > claimed ? books.balance - claimed : 0));
    }

    /// @dev Whatever its root proves.
    function _noEpochPaysMoreThanItsTotal() private view {
        for (uint256 i = 0; i < _handler.posts(); ++i) {
            (, bool isVetoed, uint256 promised, uint256 given) = _handler.epochAt(i);
            assert(given <= promised);
            assert(!isVetoed || given == 0);
        }
    }

    function _everyoneHasWhatTheBooksSay() private view {
        for (uint256 i = 0; i < 4; ++i) _hasWhatItReceived(_handler.miner(i));
        _hasWhatItReceived(_handler.DEVELOPER());
        _hasWhatItReceived(_handler.TREASURY());
        assert(_handler.token().balanceOf(_handler.STRANGER()) == 0);
    }

    function _hasWhatItReceived(address account) private view {
        assert(_handler.token().balanceOf(account) == _handler.received(account));
    }
}
